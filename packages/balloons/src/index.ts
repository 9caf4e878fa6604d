export type { Actuator, ActuatorAnswer, Machine, Operation } from './actuators/actuator.js';
export {
  BalloonPolicy,
  type BalloonPolicySpec,
  type BalloonPolicyStatus,
  type PriorityMode,
} from './api/balloon-policy.js';
export { balloonCrds } from './api/crds.js';
export { HostPartition, type HostPartitionSpec, type HostPartitionStatus } from './api/host-partition.js';
export { type FinishedResize, NodeSize, type NodeSizeSpec, type NodeSizeStatus, type Ticket } from './api/node-size.js';
export { type BalloonControllersOptions, balloonControllers } from './controllers/balloon-controllers.js';
export { installBalloonCrds } from './controllers/install-balloon-crds.js';
export { type Amounts, formatAmounts, parseAmounts } from './planner/amounts.js';
export { type HostMember, type HostShares, hostShares } from './planner/host-shares.js';
export { type PlanInput, planSize, type SizeLimits, type SizePlan } from './planner/plan-size.js';
export { readWish, type SizeWish, WishError } from './planner/size-wish.js';
