import { stringify } from 'yaml';

/**
 * Writes a JSON value as YAML that every YAML reader takes for the same value:
 * texts that YAML 1.1 would read as something else (`on`, `0644`) are quoted, and
 * nothing is shared through aliases. Properties that are undefined are left out.
 */
export function toYaml(value: unknown): string {
  return stringify(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0, singleQuote: false });
}
