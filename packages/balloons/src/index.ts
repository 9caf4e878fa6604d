export type { Actuator, ActuatorAnswer, Machine, Operation } from './actuators/actuator.js';
export {
  type BalloonConfiguration,
  BalloonConfigurationError,
  readBalloonConfiguration,
} from './actuators/balloon-configuration.js';
export {
  BalloonPolicy,
  type BalloonPolicySpec,
  type BalloonPolicyStatus,
  type PriorityMode,
} from './api/balloon-policy.js';
export { balloonCrds } from './api/crds.js';
export { balloonContainer, keys as balloonKeys } from './api/group.js';
export { HostPartition, type HostPartitionSpec, type HostPartitionStatus } from './api/host-partition.js';
export { type FinishedResize, NodeSize, type NodeSizeSpec, type NodeSizeStatus, type Ticket } from './api/node-size.js';
export { autosizeSettings, readAutosize } from './autosize/autosize-settings.js';
export { wantNow } from './autosize/decide-size.js';
export { canaryObstacle } from './canary/canary-obstacle.js';
export { type CanaryAnswer, verifyPriority } from './canary/verify-priority.js';
export { type BalloonControllersOptions, balloonControllers } from './controllers/balloon-controllers.js';
export { installBalloonCrds } from './controllers/install-balloon-crds.js';
export { balloonGate } from './gates/balloon-gate.js';
export { controllerUser, ordinaryInstallation } from './install/balloon-installation.js';
export { balloonManifests } from './install/balloon-manifests.js';
export { controllerRights } from './install/controller-rights.js';
export { BalloonMetrics } from './metrics/balloon-metrics.js';
export { balloonUsage } from './metrics/node-usage.js';
export { choosePolicy, selects } from './nodes/choose-policy.js';
export { claimantsOf } from './nodes/claim-size.js';
export { type NodeNumbers, nodeNumbers } from './nodes/node-numbers.js';
export { Node, type NodeView, readNode } from './nodes/node-view.js';
export { balloonNamespace, type ObservedNode, observedNode, requestedBy } from './nodes/observed-node.js';
export { previewSize, type SizePreview } from './nodes/preview-size.js';
export { membersOf, othersOf } from './partition/partition-reconciler.js';
export { type PartitionPlan, planPartition } from './partition/plan-partition.js';
export {
  type Amounts,
  amountsOf,
  formatAmounts,
  formatCpu,
  formatMemory,
  minus,
  nothing,
  parseAmounts,
  plus,
  type ResourceName,
  resources,
} from './planner/amounts.js';
export { type HostMember, type HostShares, hostShares } from './planner/host-shares.js';
export { type PlanInput, planSize, type SizeLimits, type SizePlan } from './planner/plan-size.js';
export { readWish, type SizeWish, WishError, wholeFraction } from './planner/size-wish.js';
export { type BalloonPod, isBalloonPod, readBalloonPod } from './pods/balloon-pod.js';
export { Pod } from './pods/pod.js';
export { newNodeSize } from './policies/manage-node.js';
export {
  createDefaultPolicy,
  defaultPolicy,
  policyFor,
  previewRequest,
  requestSize,
  SizeRefusedError,
} from './policies/request-size.js';
export { whyUnsafe } from './priority/priority-modes.js';
export { isEnabled, type PolicySettings, readPolicy } from './settings/policy-settings.js';
