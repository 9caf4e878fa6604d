/** A rule of a definition, asked about an object with three containers: from the parsed object to the answer. */
import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { ruleValidator } from '@slipway/cel/kubernetes/validate-with-rules';
import { quantile, report } from './support/report.js';

const calls = Number(process.env.BENCH_CALLS ?? 200_000);
const rounds = 11;

const text = { type: 'string', maxLength: 100 };
const container = { type: 'object', properties: { name: text, image: text } };
const rule = `self.containers.all(c, c.image.startsWith('registry.example/'))`;
const schema = {
  type: 'object',
  properties: { containers: { type: 'array', maxItems: 10, items: container } },
  'x-kubernetes-validations': [{ rule, message: 'images come from our registry' }],
};
const object = { containers: ['a', 'b', 'c'].map((name) => ({ name, image: `registry.example/${name}:1` })) };
const rules = ruleValidator(schema);
const bad = { containers: [{ name: 'a', image: 'elsewhere/a:1' }] };
if (!rules || runToCompletion(rules.errors(bad, undefined)).length !== 1)
  throw new Error('the rule lets everything pass');

/** Handwritten equivalent in an admission webhook. */
const byHand = ({ containers }: typeof object) =>
  containers.every(({ image }) => image.startsWith('registry.example/'));

function perSecond(isGood: () => boolean): number {
  const startedAt = performance.now();
  for (let call = 0; call < calls; call += 1) if (!isGood()) throw new Error('a good object was refused');
  return (calls / (performance.now() - startedAt)) * 1_000;
}

const asked: number[] = [];
const hand: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  asked.push(perSecond(() => runToCompletion(rules.errors(object, undefined)).length === 0));
  hand.push(perSecond(() => byHand(object)));
}
const value = quantile(asked, 0.5);
report('cel', [
  {
    what: 'a rule about three containers',
    unit: '/s',
    value,
    better: 'more',
    anchor: { name: 'target', value: 300_000 },
  },
  {
    what: 'the same beside JavaScript written by hand',
    unit: '/s',
    value,
    better: 'more',
    anchor: { name: 'by hand', value: quantile(hand, 0.5) },
  },
]);
