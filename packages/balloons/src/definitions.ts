/** The kinds and how they are installed, without what works on them. All of it is exported by the package itself, too. */
export { BalloonPolicy } from './api/balloon-policy.js';
export { keys as balloonKeys } from './api/group.js';
export { HostPartition } from './api/host-partition.js';
export { NodeSize } from './api/node-size.js';
export { installBalloonCrds } from './controllers/install-balloon-crds.js';
