import { parseYaml, YamlError } from '@slipway/safe-yaml';
import { JsonError } from '../../schema/json-scanner.js';

/**
 * Reads a YAML body. Keys given twice are an error in YAML, so there are no duplicates to report.
 *
 * @throws JsonError with the place in the text.
 */
export function readYaml(text: string): { readonly value: unknown; readonly duplicates: readonly string[] } {
  try {
    return { value: parseYaml(text), duplicates: [] };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new JsonError(`error converting YAML to JSON: yaml: ${error.message}`, { cause: error });
  }
}
