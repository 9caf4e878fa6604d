import {
  anyObject,
  anyValue,
  conditions,
  flag,
  integer,
  list,
  object,
  oneOf,
  type Schema,
  text,
} from '@slipway/kube/schema';

const resource = {
  group: text('API group; empty for the core group.', { maxLength: 253 }),
  resource: text('Plural name of the resource.', { minLength: 1, maxLength: 63 }),
};

const path = text('Where the field is: a.b, a.b[*].c, a.b[name=x].c, metadata.annotations["k"].', { maxLength: 512 });

const taskFields = {
  name: text('Name within the plan; the kind when absent.', { maxLength: 63 }),
  kind: text('A kind that comes with the feature server, or that it was given.', { minLength: 1, maxLength: 63 }),
  destructive: flag('Changes objects of users, so that it may need consent.'),
  args: anyObject(
    'Arguments; each kind has its own. Job: name, and activeDeadlineSeconds, 3600 when absent and 604800 at most.',
  ),
};

const task = object(
  {
    ...taskFields,
    phase: oneOf(
      ['BeforePublish', 'AfterUses', 'AfterClean'],
      'Before processes are told, once all have changed (the default), or once nothing uses the feature.',
    ),
  },
  'Something to be done on the way.',
  ['kind'],
);

const minorVersion = (description: string) => text(description, { pattern: '^[0-9]+\\.[0-9]+$', maxLength: 16 });

const versionTask = object(
  {
    ...taskFields,
    from: minorVersion('The minor version that is left, as in 1.35.'),
    to: minorVersion('The one that it becomes necessary for.'),
    when: oneOf(
      ['Before', 'After'],
      'While the version that is left still serves its data (the default), or once every API server has the other one.',
    ),
  },
  'Something to be done on the way from one version of Kubernetes to another.',
  ['kind', 'from', 'to'],
);

/** `spec` of a FeatureDefinition. */
export const definitionSpec = (gate: Schema): Schema =>
  object(
    {
      gate,
      scope: oneOf(
        ['Namespace', 'Cluster'],
        'Whose objects it may name: those of its own namespace, or all. In kube-system and slipway-system Cluster when absent, elsewhere Namespace.',
      ),
      stages: list(
        object(
          {
            version: minorVersion('From this version on, as in 1.34.'),
            stage: oneOf(
              ['Alpha', 'Beta', 'GA', 'Deprecated', 'Removed'],
              'Stage. Removed: processes no longer have the gate, and behave as default says.',
            ),
            default: flag('Value when it is not set.'),
            locked: flag('Whether it can only have its default.'),
          },
          'Stage from a version on.',
          ['version', 'stage', 'default'],
        ),
        'History, oldest first.',
        { maxItems: 32 },
      ),
      components: list(
        object(
          {
            name: text('Name of the component, as it reports itself.', { minLength: 1, maxLength: 63 }),
            required: flag('Whether it is waited for.', { default: true }),
            roster: oneOf(['Nodes', 'APIServers', 'Pods', 'Leases', 'Self'], 'Who should report.', { default: 'Self' }),
            selector: text('For Pods and Leases: label selector.', { maxLength: 512 }),
            lease: text('For Leases: name of the lease of the leader, in place of a selector.', { maxLength: 253 }),
            namespace: text('For Pods and Leases: where they are; the namespace of this object when absent.', {
              maxLength: 63,
            }),
            minVersion: text('Older processes do not know the gate, and that is fine.', { maxLength: 16 }),
          },
          'A component that runs the gate.',
          ['name'],
        ),
        'Who runs the gate. The first one is the authority.',
        { minItems: 1, maxItems: 12 },
      ),
      dependsOn: list(
        text('Gate of the same namespace.', { maxLength: 128 }),
        'Gates that must be On before this one.',
        {
          maxItems: 32,
        },
      ),
      conflictsWith: list(text('Gate of the same namespace.', { maxLength: 128 }), 'Gates that must be Off.', {
        maxItems: 32,
      }),
      dynamic: oneOf(['Never', 'AtStart', 'Live'], 'Whether processes may take the value from the API, and when.', {
        default: 'Never',
      }),
      disable: oneOf(['Supported', 'Unsupported'], 'Whether the feature can be turned off again.', {
        default: 'Supported',
      }),
      cleanup: oneOf(
        ['Automatic', 'Manual', 'Never'],
        'What the Feature does not say. In kube-system Manual when absent, elsewhere Automatic.',
      ),
      references: list(
        object(
          {
            ...resource,
            kind: oneOf(['Field', 'Object'], 'A field uses the feature, or every object of the resource does.'),
            path,
            default: anyValue(
              "The value that the API server's defaulting sets when none is given: a field that holds it is not a use.",
            ),
            embedded: flag(
              "Whether the field counts in every kind of Kubernetes that embeds its type as well: a pod's in all templates.",
            ),
            match: list(
              object(
                {
                  path,
                  operator: oneOf(['Exists', 'DoesNotExist', 'In', 'NotIn'], 'What must be so.'),
                  values: list(text('As text.', { maxLength: 253 }), 'For In and NotIn.', { maxItems: 32 }),
                },
                'A condition.',
                ['path', 'operator'],
              ),
              'Further conditions on the object; all must hold.',
              { maxItems: 8 },
            ),
            derived: list(
              object({ ...resource, path }, 'Copies elsewhere.', ['group', 'resource', 'path']),
              'Copies that are counted apart and not waited for.',
              { maxItems: 8 },
            ),
          },
          'What a use looks like.',
          ['group', 'resource'],
        ),
        'What counts as using the feature.',
        { maxItems: 32 },
      ),
      tasks: object(
        {
          on: list(task, 'While turning on.', { maxItems: 16 }),
          off: list(task, 'While turning off.', { maxItems: 16 }),
          true: list(task, 'An unquoted on, as YAML 1.1 reads it.', { maxItems: 16 }),
          false: list(task, 'An unquoted off, as YAML 1.1 reads it.', { maxItems: 16 }),
          upgrade: list(versionTask, 'On the way to a newer version of Kubernetes.', { maxItems: 16 }),
          downgrade: list(versionTask, 'On the way back to an older one.', { maxItems: 16 }),
        },
        'What must happen on the way.',
      ),
      exercise: list(anyObject('A manifest.'), 'Objects that use the feature.', { maxItems: 16 }),
    },
    'What a feature is about.',
    ['gate', 'components'],
  );

/** `status` of a FeatureDefinition. */
export const definitionStatus: Schema = object(
  { observedGeneration: integer('Generation of the spec this is about.'), conditions },
  'Whether the definition can be carried out.',
);
