import { Document, Scalar, visit } from 'yaml';
import { isPrintable, printableJson } from './printable.js';

const options = { compat: 'yaml-1.1', aliasDuplicateObjects: false } as const;
const layout = { lineWidth: 0, singleQuote: false } as const;

/**
 * Writes a JSON value as YAML that every YAML reader takes for the same value:
 * texts that YAML 1.1 would read as something else (`on`, `0644`) are quoted, and
 * nothing is shared through aliases. Properties that are undefined are left out.
 * What a terminal would act on is escaped.
 */
export function toYaml(value: unknown): string {
  const document = new Document(value, options);
  const text = document.toString(layout);
  if (isPrintable(text)) return text;
  // Only double quotes know escapes.
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && !isPrintable(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return printableJson(document.toString(layout));
}
