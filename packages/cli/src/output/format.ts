import { toYaml } from '@slipway/safe-yaml';
import { InvalidArgumentError, Option } from 'commander';
import { renderTable, type TableColumn } from './table.js';

export type Format = 'table' | 'wide' | 'json' | 'yaml' | 'name';

/** The `-o` of listings. */
export function formatOption(...allowed: readonly Format[]): Option {
  return new Option('-o, --format <format>', `how to print: ${allowed.join(', ')}`)
    .default(allowed[0])
    .argParser((text) => {
      if (!(allowed as readonly string[]).includes(text)) {
        throw new InvalidArgumentError(`allowed: ${allowed.join(', ')}`);
      }
      return text;
    });
}

/** One listing in any format: a table for people, the same objects for programs. */
export function renderList<Row>(
  rows: readonly Row[],
  options: {
    readonly format: Format;
    readonly columns: readonly TableColumn<Row>[];
    /** What `json` and `yaml` print. */
    readonly document: unknown;
    /** What `name` prints, one a line. */
    readonly name?: (row: Row) => string;
  },
): string {
  switch (options.format) {
    case 'json':
      return `${JSON.stringify(options.document, null, 2)}\n`;
    case 'yaml':
      return toYaml(options.document);
    case 'name':
      return rows.map((row) => `${options.name?.(row) ?? ''}\n`).join('');
    default:
      return renderTable(rows, options.columns, options.format === 'wide');
  }
}
