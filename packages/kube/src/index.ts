export { Kube } from './client/client.js';
export type { DiscoveredResource, Discovery } from './client/discovery.js';
export { cloneJson, copyWith, freezeJson, sameJson } from './client/json.js';
export { refOf } from './client/object-ref.js';
export type {
  ApplyOptions,
  Configuration,
  DeleteOptions,
  JsonPatchOp,
  ListOptions,
  ListPage,
  MutateOptions,
  PatchOptions,
  ResourceClient,
  Selection,
  WatchOptions,
  WriteOptions,
} from './client/resource-client.js';
export { TokenBucket } from './client/token-bucket.js';
export { type Clock, sleep, systemClock, type Timer } from './clock/clock.js';
export { microTimestamp, timestamp } from './clock/timestamp.js';
export { mapConcurrently } from './concurrency/map-concurrently.js';
export { findCondition, isConditionTrue, setCondition } from './conditions/conditions.js';
export type { Access, Credentials } from './config/access.js';
export type { ConnectOptions, KubeOptions } from './config/connect-options.js';
export { KubeconfigError } from './config/kubeconfig-error.js';
export { SignInError } from './config/sign-in-error.js';
export {
  Controller,
  type ControllerCounts,
  type ControllerOptions,
  type ReconcileContext,
  type Reconciler,
  type Watched,
} from './controller/controller.js';
export { inTurn } from './controller/in-turn.js';
export { isNamespaceTerminating } from './controller/is-terminating.js';
export { retryLostRaces } from './controller/lost-race.js';
export { Manager, type ManagerOptions, type Runnable } from './controller/manager.js';
export { RecentWrites } from './controller/recent-writes.js';
export { TerminalError } from './controller/terminal-error.js';
export { WorkQueue, type WorkQueueOptions } from './controller/work-queue.js';
export {
  ageColumn,
  CustomResourceDefinition,
  customResourceDefinition,
  type DefinitionParts,
  type PrinterColumn,
  textColumn,
} from './definitions/custom-resource-definition.js';
export { installDefinitions, installer } from './definitions/install-definitions.js';
export { LeaseKeeper, type LeaseSpec, leaderLease, renewedLease } from './election/keep-lease.js';
export { type LeaderLease, lead } from './election/lead.js';
export { type Lease, leases } from './election/leases.js';
export { DenialLog } from './events/denial-log.js';
export {
  type CoreEvent,
  EventRecorder,
  type EventRecorderOptions,
  Events,
} from './events/event-recorder.js';
export type { ObjectPart, ObjectReference } from './events/object-reference.js';
export { type Happening, SeriesRecorder } from './events/series-recorder.js';
export { findAccess } from './https/connect.js';
export { type HttpsTransportOptions, httpsTransport } from './https/https-transport.js';
export { type LogFields, type Logger, silentLog, stderrLog, withFields } from './log/logger.js';
export { ensureFinalizer, hasFinalizer, removeFinalizer } from './owners/finalizers.js';
export { controllerOf, isControlledBy, ownerReference } from './owners/owners.js';
export { type SlipwayPart, slipwayLabels, slipwayPartOf, slipwaySelectors } from './owners/slipway-labels.js';
export { loadPart } from './program/load-part.js';
export { type PolicyRule, policyRule, type Role, type RoleSubject, role, roleBinding } from './rbac/roles.js';
export { effectiveRequests } from './resources/effective-requests.js';
export { podRequests, type ResourceAmounts, resourceAmounts } from './resources/pod-requests.js';
export {
  addQuantity,
  compareQuantity,
  formatQuantity,
  maxQuantity,
  milli,
  milliQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  type QuantityFormat,
  quantity,
  subtractQuantity,
  wholeUnits,
  zeroQuantity,
} from './resources/quantity.js';
export {
  type FieldRequirement,
  fieldSelectorToString,
  matchesFields,
  parseFieldSelector,
} from './selectors/field-selector.js';
export {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  labelRequirement,
  matchesLabels,
  whyNotLabelKey,
  whyNotLabelValue,
} from './selectors/label-requirement.js';
export {
  type LabelSelector,
  labelSelectorToString,
  matchesSelector,
  requirementsOf,
} from './selectors/label-selector.js';
export { parseLabelSelector } from './selectors/parse-label-selector.js';
export { SelectorError } from './selectors/selector-error.js';
export type { FinishedSpan, SpanRecorder } from './tracing/finished-span.js';
export { errorMessage } from './transport/error-message.js';
export { exactInteger, parseJson, stringifyJson } from './transport/exact-json.js';
export { FrameError } from './transport/frame-error.js';
export {
  apiVersionOf,
  type Condition,
  type KubeObject,
  keyOf,
  type ObjectMeta,
  ObjectNameError,
  type ObjectRef,
  type OwnerReference,
  pathOf,
  type ResourceRef,
  refOfKey,
} from './transport/objects.js';
export { isExpired, isStatus, UnreachableError } from './transport/responses.js';
export {
  failureStatus,
  hasReason,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
} from './transport/status.js';
export type { KubeRequest, KubeResponse, Transport, WatchFrame } from './transport/transport.js';
export type { Change, Informer } from './watch/informer.js';
export { InformerFactory, type InformerFactoryOptions, type InformerOptions } from './watch/informer-factory.js';
export type { IndexFunction, Lister } from './watch/object-store.js';
export { Reflector, type ReflectorOptions, type ReflectorSink } from './watch/reflector.js';
