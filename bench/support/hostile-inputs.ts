import { hostileDefinitions } from './hostile/definitions.js';
import { configMap, type HostileInput } from './hostile/input.js';
import { hostileJson } from './hostile/json.js';
import { hostileJustBelow } from './hostile/just-below.js';
import { hostileKinds } from './hostile/kinds.js';
import { hostileObjects } from './hostile/objects.js';
import { hostileOwnership } from './hostile/ownership.js';
import { hostilePatches } from './hostile/patches.js';
import { hostileProtobuf } from './hostile/protobuf.js';
import { hostileRequests } from './hostile/requests.js';
import { hostileSchemas } from './hostile/schemas.js';
import { hostileYaml } from './hostile/yaml.js';

/** Everything a body, an address or a header can be made of. */
export const hostileInputs: readonly HostileInput[] = [
  { what: 'an ordinary config map', body: configMap('') },
  ...hostileJson,
  ...hostileYaml,
  ...hostileProtobuf,
  ...hostilePatches,
  ...hostileOwnership,
  ...hostileObjects,
  ...hostileKinds,
  ...hostileRequests,
  ...hostileDefinitions,
  ...hostileSchemas,
  ...hostileJustBelow,
];
