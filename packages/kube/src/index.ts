export {
  apiVersionOf,
  type Condition,
  type KubeObject,
  keyOf,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  pathOf,
  type ResourceRef,
  refOfKey,
} from './client/objects.js';
export { hasReason, type Status, type StatusCause, type StatusDetails, StatusError } from './client/status.js';
export type { KubeRequest, KubeResponse, Transport, WatchFrame } from './client/transport.js';
export { type Clock, sleep, systemClock, type Timer } from './clock/clock.js';
