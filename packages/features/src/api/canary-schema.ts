import { duration, flag, list, number, object, oneOf, type Schema, text } from '@slipway/kube/schema';

const percent = number('Share of the processes, in percent.', { minimum: 0, maximum: 100 });
const matchLabels: Schema = {
  type: 'object',
  description: 'Labels, all of which must be so.',
  additionalProperties: text('Value of the label.', { maxLength: 63 }),
  minProperties: 1,
};
const selector = object({ matchLabels }, 'Labels of the nodes or pods that the processes run on.', ['matchLabels']);
const whichProcesses = { oneOf: [{ required: ['percent'] }, { required: ['selector'] }] };

/** `spec.canary` of a Feature. */
export const canary = object(
  {
    steps: list(
      object(
        {
          percent,
          selector,
          bake: duration('How long to look on once all of them run the value. Not at all when absent.'),
          analysis: object(
            {
              name: text('Name in the configuration of the feature server.', { minLength: 1, maxLength: 63 }),
              failAbove: number('The value is taken back when the measurement is above this.'),
            },
            'What is measured meanwhile.',
            ['name', 'failAbove'],
          ),
        },
        'Processes that take the value next, by share or by labels.',
        [],
        whichProcesses,
      ),
      'Steps, in order. After the last one all processes take the value.',
      { minItems: 1, maxItems: 8 },
    ),
  },
  'How a published value comes to ever more processes. Only where nodes or pods run the gate.',
  ['steps'],
);

/** `status.published.rules` of a Feature. */
export const rules = list(
  object({ value: flag('Their value.'), percent, selector }, 'Processes that run another value than the rest.', [
    'value',
  ]),
  'Shares of a canary. The first one that covers a process counts.',
);

/** `status.canaryFailed` of a Feature. */
export const canaryFailed = object(
  {
    wish: text('Digest of what was asked for.'),
    to: oneOf(['On', 'Off'], 'Where it was to go.'),
    message: text('What was measured.'),
  },
  'The canary that was taken back. Nothing is tried again before something else is asked for.',
);
