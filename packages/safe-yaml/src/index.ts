export { defaultLimits, type YamlLimits } from './limits.js';
export { type Manifest, parseManifest, type RepeatedKey } from './parse-manifest.js';
export { parseAllYaml, parseYaml } from './parse-yaml.js';
export { toYaml } from './to-yaml.js';
export { placeOf, YamlError } from './yaml-error.js';
export {
  parseYamlTree,
  type YamlEntry,
  type YamlList,
  type YamlMap,
  type YamlNode,
  type YamlScalar,
  type YamlTree,
} from './yaml-tree.js';
