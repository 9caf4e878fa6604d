import { JsonError, readJson } from '../../schema/json-scanner.js';
import type { ApiRequest } from '../request.js';

let library: typeof import('@slipway/safe-yaml') | undefined;

/** What to wait for before the body of this request can be read: most servers never see YAML, and do not load its library. */
export function yamlLoadedFor({ body, headers }: ApiRequest): Promise<void> | undefined {
  if (library || !body || 'value' in body || !/yaml/i.test(headers['content-type'] ?? '')) return undefined;
  return import('@slipway/safe-yaml').then((loaded) => {
    library = loaded;
  });
}

/**
 * Reads a YAML body, which may be JSON. Keys given twice are told in the words in
 * which strict decoding does; of the values the last one counts.
 *
 * @throws JsonError with the place in the text.
 */
export function readYaml(text: string): { readonly value: unknown; readonly problems: readonly string[] } {
  const json = asJson(text);
  if (json) return json;
  if (!library) throw new Error('YAML is read only after yamlLoadedFor()');
  const { parseManifest, YamlError } = library;
  try {
    const { value, repeated } = parseManifest(text);
    if (repeated.length === 0) return { value, problems: [] };
    const lines = repeated.map(({ key, line }) => `  line ${line}: key ${JSON.stringify(key)} already set in map`);
    return { value, problems: [['yaml: unmarshal errors:', ...lines].join('\n')] };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new JsonError(`error converting YAML to JSON: yaml: ${error.message}`, { cause: error });
  }
}

/** JSON is YAML as well, and much faster to read as what it is. */
function asJson(text: string) {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const { value, duplicates } = readJson(text);
    return duplicates.length === 0 ? { value, problems: [] } : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
