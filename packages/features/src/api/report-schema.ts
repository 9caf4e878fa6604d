import { flag, integer, list, object, oneOf, type Schema, text, time } from '@slipway/kube/schema';

const shortText = (description: string): Schema => text(description, { maxLength: 253 });

/** `spec` of a FeatureUse. */
export const useSpec: Schema = object(
  {
    component: text('Name of the component.', { minLength: 1, maxLength: 63 }),
    instance: shortText('Which of its processes: a node or pod name.'),
    node: shortText('Node it runs on.'),
    incarnation: shortText('New for each start of the process.'),
    startTime: time('When the process started.'),
    binaryVersion: shortText('Version of the program.'),
    emulationVersion: shortText('Version whose features it shows.'),
    minCompatibilityVersion: shortText('Oldest version it is compatible with.'),
    source: oneOf(['Library', 'Metrics', 'Declared', 'StaticPod', 'Lease'], 'Where the report is from.'),
    vector: text('Name of the FeatureVector with its values.', { pattern: '^v-[0-9a-f]{32}$' }),
    queried: text('Gates that were asked for: base64, one bit per gate of the vector.', { maxLength: 1024 }),
    applyErrors: list(
      object(
        { gate: shortText('Gate.'), message: text('Why.', { maxLength: 256 }) },
        'A value that is not in effect.',
        ['gate', 'message'],
      ),
      'Published values that could not be applied.',
      { maxItems: 8 },
    ),
    epoch: integer('Newest round it had heard of.', { format: 'int64', minimum: 0 }),
    renewTime: time('When it was written.'),
    leaseDurationSeconds: integer('How long it counts after that.', { minimum: 1 }),
  },
  'What one process runs.',
  ['component', 'instance', 'incarnation', 'binaryVersion', 'source', 'vector'],
);

/** `spec` of a FeatureVector. */
export const vectorSpec: Schema = object(
  {
    component: text('Name of the component.', { minLength: 1, maxLength: 63 }),
    binaryVersion: shortText('Version of the program.'),
    gates: list(
      object(
        {
          name: text('Name of the gate.', { minLength: 1, maxLength: 128 }),
          enabled: flag('Its value.'),
          default: flag('Its value when it is not set.'),
          stage: text('Alpha, Beta, GA or Deprecated; empty when not known.', { maxLength: 16 }),
          set: flag('Whether a person set it.'),
          locked: flag('Whether it can only have its default.'),
          mixed: flag('Whether the process was told both values.'),
          follows: flag('Whether the process takes the published value.'),
          pendingRestart: flag('Whether another value is published and waits for a restart.'),
          refused: flag('Whether the published value is not in effect, for a reason that the FeatureUse has.'),
          config: shortText('Flag that the gate comes with, so that only the command line can set it.'),
        },
        'One gate.',
        ['name', 'enabled'],
      ),
      'All gates, sorted by name.',
      { maxItems: 1024 },
    ),
  },
  'Values that many processes share.',
  ['component', 'binaryVersion', 'gates'],
);
