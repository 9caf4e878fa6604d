export { defaultLimits, type YamlLimits } from './limits.js';
export { parseAllYaml, parseYaml } from './parse-yaml.js';
export { toYaml } from './to-yaml.js';
export { YamlError } from './yaml-error.js';
