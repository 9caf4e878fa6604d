export { defaultLimits, type YamlLimits } from './limits.js';
export { type Manifest, parseManifest, type RepeatedKey } from './parse-manifest.js';
export { parseAllYaml, parseYaml } from './parse-yaml.js';
export { toYaml } from './to-yaml.js';
export { placeOf, YamlError } from './yaml-error.js';
export type { YamlEntry, YamlList, YamlMap, YamlNode, YamlScalar } from './yaml-node.js';
export { parseYamlTree, type YamlTree } from './yaml-tree.js';
