import { parseYaml, YamlError } from '@slipway/safe-yaml';

/** The value of a YAML text; undefined when it cannot be read. */
export function yamlValue(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}
