/** Types of `status.conditions` of a Feature. */
export const conditionTypes = [
  'Known',
  'DependenciesMet',
  'UsesConsistent',
  'Progressing',
  'Blocked',
  'DanglingReferences',
  'GuardActive',
  'UpgradeSafe',
] as const;
export type ConditionType = (typeof conditionTypes)[number];

/**
 * Every reason we give, with what it means. The same word stands in a condition,
 * in the task that waits, in the event and in the command's output.
 */
export const reasons = {
  // Known
  Declared: 'A definition declares the gate.',
  ReportedOnly: 'Processes report the gate, and no definition describes it.',
  NotSeen: 'Neither a definition nor a process knows the gate; the feature is left unchanged.',
  NameCollision: 'Two gates differ only in letter case, so they want the same object.',
  // DependenciesMet
  Met: 'Everything the gate depends on has the value it needs.',
  DependencyOff: 'A gate that this one depends on is not On.',
  ConflictOn: 'A gate that excludes this one is not Off.',
  DependentOn: 'A gate that depends on this one is not Off.',
  // UsesConsistent
  Agreed: 'Every process of every required component reports the same value.',
  NoEvidence: 'Required components have not reported yet.',
  InTransition: 'Processes are changing from one value to the other.',
  Drift: 'Processes report another value than the state of the feature.',
  Waived: 'Some processes do not run the value, or are silent, and a waiver excludes them.',
  Conflict: 'Processes of the authority component report different values.',
  // Progressing
  Settled: 'No transition is running.',
  Running: 'A task of the transition is running.',
  Waiting: 'The transition waits and needs no action.',
  AwaitingEvidence: 'The decision waits until required components have reported, or had time to.',
  UpgradeTasks: 'The tasks of the definition for an upgrade are running.',
  // Blocked
  NotBlocked: 'Nothing waits for a user.',
  Paused: 'The feature is paused.',
  NeedsApproval: 'The next task changes objects of users, and this plan has no consent.',
  Locked: 'The gate is locked to its default at this version.',
  NoDefinition: 'Without a definition a gate is reported, and not turned on or off.',
  NotDynamic:
    'The mode requires that processes take the value from the API, and a required process does not permit that.',
  CanaryUnsupported: 'The canary names processes that cannot run another value than the rest.',
  CanaryFailed: 'A measurement was above its limit, so the value was taken back from all processes.',
  DisableUnsupported: 'The definition says that the feature cannot be turned off again.',
  Definition: 'The definition cannot be executed as it is written.',
  Stragglers: 'Processes have kept the old value, or were silent, for too long.',
  Reappearing: 'Uses come back as often as they are cleared.',
  ObjectsRemain: 'Objects still use the feature, and no task may clear them.',
  Refused: 'The API server rejected changes of some objects.',
  Forbidden: 'The feature server lacks a right that the task needs.',
  NotPermitted: 'The author of the definition or the Feature lacks a right that the task needs.',
  AuthorUnknown:
    'The API server does not verify the author of the definition or the Feature, so the feature server uses no rights for it.',
  BackupTooLarge: 'The values do not fit into a backup.',
  TaskBlocked: "A task of the feature's author waits for a user.",
  TaskFailed: 'A task failed too often, or in a way that retrying cannot resolve.',
  UnknownTask: 'This server does not have the kind of task that the plan names.',
  NotConfigured: 'The definition names a webhook or job that is not configured on this server.',
  NotOurs: 'A CRD or an admission policy of that name has another owner.',
  StoredVersions: 'Objects may be stored in a version that would be removed.',
  MigrationFailed: 'The API server could not migrate all stored objects.',
  Finalizers: 'Deleted objects are held by finalizers.',
  // reasons of tasks that wait
  Deleting: 'Objects are being deleted.',
  Migrating: 'Stored objects are being migrated.',
  NotEstablished: 'A CRD is not served yet.',
  OldValueInUse: 'A process still reports the old value.',
  Silent: 'An expected process has not reported.',
  Publishing: 'A value was published for some processes.',
  Baking: 'The processes of a canary step run the value and are observed for a while.',
  Confirming: 'One scan found nothing; a second one follows.',
  Retrying: 'A request failed and is sent again.',
  // GuardActive
  Guarded: 'Every API server rejected a trial write with a new use of the feature.',
  Unproven: 'Admission policies are in force, but no trial write could verify it.',
  GuardSettling: 'Writes that began before the guard was in force may still succeed.',
  NotGuarded: 'New uses are not rejected: the feature is on, or a guard is not desired or not possible.',
  GuardRejected: 'The API server rejected an expression of the guard; a path of the definition may be wrong.',
  // DanglingReferences
  Clean: 'A complete scan found no use of the feature that is off.',
  Found: 'Objects still use the feature that is off.',
  NotScanned: 'Not scanned yet.',
  InUse: 'The feature is not off, so uses are valid.',
  KindsNotCovered:
    'Custom kinds embed a type that the feature is part of, and no reference of the definition names them.',
  // UpgradeSafe
  NothingAgainst: 'All checks ran, and the feature does not block an upgrade.',
  PendingRestart: 'Processes run the value only until they restart, because it is no longer published.',
  // Accepted, of a FeatureDefinition
  Valid: 'The definition is valid.',
} as const;
export type Reason = keyof typeof reasons;
