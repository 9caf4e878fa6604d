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
  ReportedOnly: 'Processes report the gate, and no definition says what it is about.',
  NotSeen: 'Neither a definition nor a process knows the gate; nothing is done to the feature.',
  NameCollision: 'Two gates differ only in letter case, so they want the same object.',
  // DependenciesMet
  Met: 'Everything the gate depends on has the value it needs.',
  DependencyOff: 'A gate that this one depends on is not On.',
  ConflictOn: 'A gate that excludes this one is not Off.',
  DependentOn: 'A gate that depends on this one is not Off.',
  // UsesConsistent
  Agreed: 'Every process of every required component reports the same value.',
  NoEvidence: 'Required components have not reported yet.',
  InTransition: 'Processes are on their way from one value to the other.',
  Drift: 'Processes report another value than the state of the feature.',
  Waived: 'Some processes do not run the value, or are silent, and were passed over by a waiver.',
  Conflict: 'Processes of the authority component report different values.',
  // Progressing
  Settled: 'No transition is running.',
  Running: 'A task of the transition is at work.',
  Waiting: 'The transition waits and needs no action.',
  AwaitingEvidence: 'Nothing is decided before required components have reported, or have had time to.',
  UpgradeTasks: 'What the definition wants done for a move to another version is being done.',
  // Blocked
  NotBlocked: 'Nothing waits for a person.',
  Paused: 'The feature is paused.',
  NeedsApproval: 'The next task changes objects of users, and this plan has no consent.',
  Locked: 'The gate is locked to its default at this version.',
  NoDefinition: 'Without a definition a gate is reported, and not turned on or off.',
  NotDynamic:
    'The mode wants processes to take the value from the API, and a process that must agree to that does not.',
  CanaryUnsupported: 'The canary names processes that cannot run another value than the rest.',
  CanaryFailed: 'A measurement was above its limit, so the value was taken back from all processes.',
  DisableUnsupported: 'The definition says that the feature cannot be turned off again.',
  Definition: 'The definition cannot be carried out as it is written.',
  Stragglers: 'Processes have kept the old value, or were silent, for too long.',
  Reappearing: 'Uses come back as often as they are cleared.',
  ObjectsRemain: 'Objects still use the feature, and nothing may clear them.',
  Refused: 'The API server refused to change some objects.',
  Forbidden: 'The feature server lacks a right that the task needs.',
  NotPermitted: 'Who wrote the definition or the Feature lacks a right that the task needs.',
  AuthorUnknown:
    'The API server does not vouch for who wrote the definition or the Feature, so the server uses no right for it.',
  BackupTooLarge: 'The values to keep are more than fits into the backup.',
  TaskBlocked: "A task of the feature's author waits for a person.",
  TaskFailed: 'A task has failed so often, or in such a way, that it will not succeed by itself.',
  UnknownTask: 'This server does not have the kind of task that the plan names.',
  NotConfigured: 'The definition names a webhook or job that this server has not been told about.',
  NotOurs: 'A CRD or an admission policy of that name has another owner.',
  StoredVersions: 'Objects may be stored in a version that would go.',
  MigrationFailed: 'The API server could not have all objects stored anew.',
  Finalizers: 'Deleted objects are held by finalizers.',
  // reasons of tasks that wait
  Deleting: 'Objects were deleted and are not gone yet.',
  Migrating: 'Objects are being stored anew.',
  NotEstablished: 'A CRD is not served yet.',
  OldValueInUse: 'A process still reports the old value.',
  Silent: 'A process that should report has not.',
  Publishing: 'A value was published for some processes.',
  Baking: 'The processes of a canary step run the value and are watched for a while.',
  Confirming: 'One scan found nothing; a second one follows.',
  Retrying: 'A request failed and is sent again.',
  // GuardActive
  Guarded: 'Every API server refused a trial write that would have used the feature anew.',
  Unproven: 'Admission policies are in force, and no trial write could show it.',
  GuardSettling: 'Writes that were under way before the guard was in force may still come through.',
  NotGuarded: 'New uses are not refused: the feature is on, or a guard is not wanted or not possible.',
  GuardRejected: 'The API server says that an expression of the guard is wrong, so a path of the definition may be.',
  // DanglingReferences
  Clean: 'A complete scan found no use of the switched-off feature.',
  Found: 'Objects still use the switched-off feature.',
  NotScanned: 'Not scanned yet.',
  InUse: 'The feature is not off, so a use is a use.',
  // UpgradeSafe
  NothingAgainst: 'Everything about the feature could be looked at, and nothing of it speaks against an upgrade.',
  PendingRestart: 'Processes run the value only until they restart, since nothing is published to them any more.',
  // Accepted, of a FeatureDefinition
  Valid: 'The definition can be carried out.',
} as const;
export type Reason = keyof typeof reasons;
