/** The kinds and their installation, without the controllers. The package exports all of it as well. */
export { BalloonPolicy } from './api/balloon-policy.js';
export { keys as balloonKeys } from './api/group.js';
export { HostPartition } from './api/host-partition.js';
export { NodeSize } from './api/node-size.js';
export { installBalloonCrds } from './controllers/install-balloon-crds.js';
