import { Option } from 'commander';
import { type Content, jsonContent, yamlContent } from './content.js';
import { renderTable, type TableColumn } from './table.js';

export type Format = 'table' | 'wide' | 'json' | 'yaml' | 'name';

/** `-o, --output FORMAT`. Its value is the option `format`, because `output` would name the thing and not its form. */
class OutputOption extends Option {
  override attributeName(): string {
    return 'format';
  }
}

/** The `-o` of every command that has one: the first of the allowed formats is the default. */
export function outputOption(allowed: readonly string[]): Option {
  return new OutputOption('-o, --output <format>', 'output format').choices(allowed).default(allowed[0]);
}

/** The `-o` of listings. */
export function formatOption(...allowed: readonly Format[]): Option {
  return outputOption(allowed);
}

/** Whether a format is a table, which says more in other words on stderr. */
export function isForPeople(format: string): boolean {
  return format === 'table' || format === 'wide';
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
): string | Content {
  switch (options.format) {
    case 'json':
      return jsonContent(options.document);
    case 'yaml':
      return yamlContent(options.document);
    case 'name':
      return rows.map((row) => `${options.name?.(row) ?? ''}\n`).join('');
    default:
      return renderTable(rows, options.columns, { wide: options.format === 'wide' });
  }
}
