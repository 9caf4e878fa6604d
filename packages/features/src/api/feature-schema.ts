import {
  anyObject,
  conditions,
  duration,
  flag,
  integer,
  intOrString,
  list,
  object,
  oneOf,
  type Schema,
  text,
  time,
} from '@slipway/kube/schema';
import { canary, canaryFailed, rules } from './canary-schema.js';

/** Longest name of a gate. */
export const gateText = (extra: Readonly<Record<string, unknown>> = {}): Schema =>
  text('Name of the gate in code, in its own letter case.', {
    minLength: 1,
    maxLength: 128,
    pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$',
    ...extra,
  });

const waiver = object(
  {
    id: text('Name of the waiver.', { minLength: 1, maxLength: 63 }),
    process: text('A process, by the name of its FeatureUse or of what should report.', { maxLength: 253 }),
    node: text('Every process on this node.', { maxLength: 253 }),
    task: text('A task of the plan that waits for a person.', { maxLength: 63 }),
    object: text('An object that still uses the feature: RESOURCE.GROUP/NAMESPACE/NAME.', { maxLength: 512 }),
    reason: text('Why.', { minLength: 10, maxLength: 512 }),
    by: text('Who answers for it.', { minLength: 1, maxLength: 253 }),
    expires: time('Until when it holds; at most 30 days ahead.'),
  },
  'One process, node, task or object that need not come along.',
  ['id', 'reason', 'by', 'expires'],
);

const consent = object(
  {
    plan: text('Digest of the plan, as in status.transition.plan or status.maintenance.plan.', { maxLength: 64 }),
    definition: text('UID/GENERATION of the FeatureDefinition.', { maxLength: 128 }),
    objects: list(
      object(
        {
          task: text('Name of the task.', { maxLength: 128 }),
          count: integer('Objects that it may change, with those that it has changed.', { minimum: 0 }),
          newest: time('When the newest of them was created; what is newer was not shown.'),
        },
        'What was shown of one task.',
        ['task', 'count'],
      ),
      'What was shown of each task whose objects can be counted.',
      { maxItems: 64 },
    ),
    expires: time('Until when it holds; at most 24 hours ahead.'),
  },
  'Consent to one plan of one definition with the objects that were shown, for tasks that change objects of users where cleanup is Manual.',
  ['plan', 'definition', 'objects', 'expires'],
);

/** `spec` of a Feature. */
export const featureSpec = (gate: Schema): Schema =>
  object(
    {
      gate,
      desired: oneOf(
        ['Unmanaged', 'Default', 'On', 'Off'],
        'What the feature should be. Unmanaged follows what the authority component runs.',
        { default: 'Unmanaged' },
      ),
      mode: oneOf(
        ['Follow', 'Central', 'Dynamic'],
        'Follow: processes are set by their own flags. Central: others take the flag of the authority when they start. Dynamic: processes that declared the gate live take the published value.',
        { default: 'Follow' },
      ),
      authority: object(
        { component: text('Name of the component.', { maxLength: 63 }) },
        'Whose setting counts while the feature is Unmanaged; the first component of the definition when absent.',
        ['component'],
      ),
      paused: flag('Finish the page at work, then do nothing until this is gone.'),
      cleanup: oneOf(
        ['Automatic', 'Manual', 'Never'],
        'Whether tasks that change objects of users run without asking, on consent, or not at all. The definition says when absent.',
      ),
      retry: text('A new word has the task at work tried again at once.', { maxLength: 64 }),
      backupRetention: duration(
        'How long a backup of cleared values is kept after its last value was written. 2160h when absent.',
      ),
      consent,
      targetVersion: text(
        'The minor version that the cluster is about to move to, as in 1.36: what the definition wants done on the way is done now.',
        { pattern: '^[0-9]+\\.[0-9]+$', maxLength: 16 },
      ),
      targetRequest: text('A new word has the tasks for targetVersion done once more, from the first.', {
        maxLength: 64,
      }),
      uses: object(
        {
          settle: duration(
            'How long after a new round a renewed report counts although it does not name the round. 30s when absent.',
          ),
          stragglersAfter: duration('After this long a process that has not agreed is a straggler. 30m when absent.'),
          stragglerAction: oneOf(
            ['Block', 'Proceed'],
            'What then happens: a person is waited for (the default), or the transition goes on without silent ones.',
          ),
          maxSilent: intOrString(
            'With Proceed: silent processes of each component that may be passed over, as a number or a share such as 1%. None when absent.',
            { pattern: '^([0-9]+|(100|[0-9]{1,2})%)$', maxLength: 8 },
          ),
        },
        'How agreement of all processes is found.',
      ),
      pace: object(
        {
          qps: integer('Changed objects per second. 20 when absent.', { minimum: 1, maximum: 1000 }),
          burst: integer('Changed objects at once. 40 when absent.', { minimum: 1, maximum: 2000 }),
          pageSize: integer('Objects per page. 500 when absent.', { minimum: 1, maximum: 1000 }),
          inFlight: integer('Changes under way at a time. 5 when absent.', { minimum: 1, maximum: 20 }),
        },
        'How fast objects are changed.',
      ),
      canary,
      guard: object(
        {
          mode: oneOf(
            ['Deny', 'Strip', 'Warn', 'None'],
            'What happens to a new use: it is refused (the default), taken out, let through with a warning, or nothing.',
          ),
          ratchet: oneOf(
            ['InUse', 'Unchanged'],
            'What an object that uses it may do: change the value (the default), or only keep it.',
          ),
        },
        'How objects are kept from using the feature anew while it is off.',
      ),
      waivers: list(waiver, 'What may be passed over, for a while, and who answers for it.', {
        maxItems: 32,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['id'],
      }),
    },
    'What the feature should be, and how to get there.',
    ['gate'],
  );

const counts = {
  expected: integer('Processes that should report.'),
  on: integer('Processes that run it on.'),
  off: integer('Processes that run it off.'),
  unregistered: integer('Processes that do not know the gate, or disagree with themselves.'),
  silent: integer('Processes that should report and have not in this round.'),
  waived: integer('Processes that do not run the value, and that a waiver lets be.'),
  read: integer('Processes whose code has asked for the value.'),
};

const componentCounts = {
  ...counts,
  pendingRestart: integer('Processes that run the value only until they restart.'),
};

const task = {
  name: text('Name, unique within the plan.'),
  kind: text('What kind of task.'),
  argsDigest: text('Short name of its arguments.'),
};

const componentUses = object(
  {
    name: text('Name of the component.'),
    required: flag('Whether it is waited for.'),
    ...componentCounts,
    versions: list(
      object({ v: text('Version.'), on: integer('On.'), off: integer('Off.') }, 'Counts of one version.'),
      'Counts by version.',
    ),
    samples: list(
      object(
        {
          process: text('Name of its FeatureUse, or of what should report.'),
          node: text('Node it runs on.'),
          value: text('What it runs.'),
          cause: text('Why it stays so.'),
          version: text('Its version.'),
          waiver: text('The waiver that lets it be.'),
        },
        'A process that does not agree.',
      ),
      'Processes that do not agree; at most five.',
    ),
  },
  'What the processes of one component run.',
);

const work = {
  tasks: list(
    object(
      {
        ...task,
        args: anyObject('Arguments, as the definition has them.'),
        destructive: flag('Changes objects of users.'),
        phase: oneOf(['Pending', 'Running', 'Waiting', 'Blocked'], 'What it does.'),
        reason: text('One word for why it waits.'),
        message: text('The same for people.'),
        attempts: integer('How often it did not succeed in a row.'),
        firstAttempt: time('When it was first tried.'),
        retry: text('What spec.retry was when it was last run.', { maxLength: 64 }),
        retryTime: time('When it is tried again.'),
        progress: object(
          { done: integer('Done.'), total: integer('Of so many.'), unit: text('What is counted.') },
          'How far it is.',
        ),
        checkpoint: text('Where it goes on after a crash.'),
      },
      'A task that remains.',
      ['name', 'kind', 'argsDigest', 'phase'],
    ),
    'Tasks that remain, in order; the first is at work.',
  ),
  completed: list(
    object(
      {
        ...task,
        at: time('When.'),
        seconds: integer('How long it took.'),
        result: oneOf(['Done', 'Skipped', 'Waived'], 'How it ended.'),
        objects: integer('Objects it dealt with.'),
        note: text('Who or what was passed over.'),
      },
      'A task that is over.',
    ),
    'Tasks that are over, in order.',
  ),
};

const transition = object(
  {
    id: text('Name of this transition.'),
    seq: integer('Number of this transition; never falls.'),
    to: oneOf(['On', 'Off'], 'Where it goes.'),
    cause: text('Why it began.'),
    startedAt: time('When it began.'),
    supersedes: text('The transition it ended.'),
    plan: text('Digest of the plan, which consent names.'),
    loops: integer('How often uses had to be cleared again.'),
    ...work,
  },
  'The way from one state to the other. Present exactly while the state is TurningOn or TurningOff.',
);

const maintenance = object(
  {
    id: text('Name of this maintenance.'),
    from: text('The minor version that is left.'),
    to: text('The minor version that is gone to.'),
    startedAt: time('When it began.'),
    backup: text('The backup of what its tasks clear.'),
    plan: text('Digest of the plan, which consent names.'),
    ...work,
  },
  'What is done, or was done last, for a move to another version of Kubernetes. It rests while there is a transition.',
);

/** `status` of a Feature. Fields of newer servers are kept. */
export const featureStatus: Schema = object(
  {
    observedGeneration: integer('Generation of the spec this is about.'),
    withdrawnConsent: object(
      { consent: text('Digest of spec.consent.'), why: text('Why it does not hold any more.') },
      'The consent that does not hold any more.',
    ),
    specDigest: text('Digest of what the plan was made from in the spec.'),
    definitionDigest: text('Digest of the definition the plan was made from.'),
    lastKnownVersion: text('Version at which the gate was last known.'),
    unknownSince: text('Version of the cluster when the gate became unknown.'),
    effective: object(
      {
        version: text('Version of the components.'),
        stage: text('Alpha, Beta, GA, Deprecated or PreAlpha.'),
        default: flag('Value when it is not set.'),
        locked: flag('Whether it can only have its default.'),
      },
      'What the gate is at the version that runs.',
    ),
    configured: object(
      {
        value: flag('The value.'),
        source: oneOf(['Spec', 'Authority', 'Default', 'Locked', 'Canary'], 'Who says so.'),
        conflict: text('Set while processes of the authority disagree.'),
      },
      'What the feature should be, after everything that has a say.',
    ),
    settable: object(
      { mode: oneOf(['Follow', 'Central', 'Dynamic'], 'The mode.'), why: text('Why no more than that.') },
      'The most that may be asked of spec.mode.',
    ),
    published: object(
      {
        value: flag('The value.'),
        epoch: integer('Number of the transition that published it.'),
        authority: text('The component whose flag it is; others take the value when they start.'),
        rules,
      },
      'What processes that follow this feature run.',
    ),
    canaryFailed,
    state: oneOf(['Unknown', 'Off', 'TurningOn', 'On', 'TurningOff'], 'Where the feature is.'),
    stateSince: time('Since when.'),
    transitions: integer('Number of the newest transition.'),
    backup: text('The backup of everything that was cleared since the feature was last On.'),
    transition,
    maintenance,
    targetReached: text(
      'Value of spec.targetVersion, and targetRequest after a space, once the cluster has that version and nothing is left to do: it asks for nothing any more.',
      { maxLength: 96 },
    ),
    uses: object(
      {
        epoch: integer('Round of reports that counts.'),
        epochAt: time('When the round was opened.'),
        reporting: integer('Processes that have reported in this round.'),
        ...counts,
        components: list(componentUses, 'The same by component.'),
      },
      'What the processes run.',
    ),
    dangling: object(
      {
        count: integer('Objects that use the feature although it is off.'),
        complete: flag('Whether every referenced collection was read to its end.'),
        scannedAt: time('When.'),
        waived: integer('How many of them a waiver lets be.'),
        copies: integer('Copies that do not count: old revisions, last-applied annotations.'),
        note: text('What the scan could not see.'),
        uncovered: text('Custom kinds that may use the feature and that no reference names.'),
        samples: list(
          object(
            {
              resource: text('Resource and group.'),
              namespace: text('Namespace.'),
              name: text('Name.'),
              path: text('Where in the object.'),
              managers: list(text('Field manager.'), 'Who wrote it.'),
              via: oneOf(['Spec', 'Derived', 'LastApplied'], 'The object itself, or a copy.'),
            },
            'One of them.',
          ),
          'Some of them; at most ten.',
        ),
      },
      'What the last scan found.',
    ),
    guard: object(
      {
        policies: list(text('Name.'), 'Admission policies.'),
        activeSince: time('From then on no write comes through that they were not asked about.'),
        verifiedReplicas: integer('API servers that refused a trial write.'),
        unguarded: list(text('Resource and reason.'), 'What is not guarded.'),
      },
      'What keeps objects from using the feature anew.',
    ),
    history: list(
      object(
        {
          id: text('Name of the transition.'),
          to: text('Where it went.'),
          cause: text('Why it began.'),
          startedAt: time('When it began.'),
          endedAt: time('When it ended.'),
          backup: text('The backup of what it cleared, where that has another name.'),
          result: oneOf(['Completed', 'Waived', 'Superseded', 'Replanned'], 'How.'),
          note: text('Who or what was passed over.'),
        },
        'A transition that is over.',
      ),
      'Transitions that are over, newest first; at most ten.',
    ),
    summary: object(
      {
        state: text('State, with what dangles.'),
        configured: text('Configured value and who says so.'),
        uses: text('How many processes run it.'),
        dangling: text('How many objects use it although it is off.'),
        next: text('Task at work.'),
        blocked: text('Why a person is waited for.'),
      },
      'Texts of the printed columns.',
    ),
    conditions,
  },
  'Where the feature is on its way. Written by the feature server.',
  [],
  { 'x-kubernetes-preserve-unknown-fields': true },
);
