import { type Kube, type KubeObject, StatusError } from '@slipway/kube';
import type { FeatureDefinitionSpec, Reference } from '../api/feature-definition.js';
import { resourceOf } from '../references/collection.js';
import { referencesOf } from '../references/embedding.js';
import { fits } from '../references/match.js';
import { fieldOf, usesOf } from '../references/used-field.js';

/** What a trial write showed about one API server. */
export type Trial =
  /** New uses do not come through here: refused by a guard, or the API server itself drops the field. */
  | 'kept out'
  /** A new use came through. */
  | 'let in'
  /** The write failed for another reason, which may pass: a right that was given a moment ago, another policy. */
  | 'failed'
  /** Nothing can be shown: the definition has no example, or the API server rejects it as invalid, as it may with the gate off. */
  | 'not tried';

export interface TrialOptions {
  /** Where examples are created; their own namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly signal: AbortSignal;
  /** Called with the error of a trial that failed. */
  readonly onFailure?: (error: StatusError) => void;
}

/**
 * Sends examples that use the feature to one API server as dry runs, which store
 * nothing, in `namespace` instead of their own if it is given. Three refusals in a row count: a policy that has just been made may be
 * known to one worker of the server and not to the next.
 */
export async function tryGuard(
  kube: Kube,
  definition: FeatureDefinitionSpec,
  guards: readonly string[],
  { namespace, signal, onFailure }: TrialOptions,
): Promise<Trial> {
  const discovery = await kube.discover(signal);
  const trials = (definition.exercise ?? []).flatMap((example) => {
    const resource = resourceOf(discovery, example);
    const used = referencesOf(definition).filter(
      ({ group, resource: plural, ...how }) =>
        resource?.group === group && resource.plural === plural && usesIt(how, example),
    );
    return resource && used.length > 0 ? [{ resource, example, used }] : [];
  });
  let shown: Trial = 'not tried';
  for (let round = 0; round < 3; round++) {
    for (const { resource, example, used } of trials) {
      try {
        const stored = await kube.resource(resource).create(renamed(example, namespace), { dryRun: true, signal });
        if (used.some((reference) => usesIt(reference, stored))) return 'let in';
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        // A policy that denies without a reason of its own is told as Invalid, too.
        const isKeptOut = guards.some((name) => error.message.includes(name));
        if (!isKeptOut && error.reason === 'Invalid') return 'not tried';
        if (!isKeptOut) {
          onFailure?.(error);
          return 'failed';
        }
      }
      shown = 'kept out';
    }
  }
  return shown;
}

/** Objects that a user created from the examples may have their names. */
function renamed(example: KubeObject, where: string | undefined): KubeObject {
  const { name = 'x', namespace } = example.metadata;
  const metadata = { ...example.metadata, name: `${name}-trial` };
  return { ...example, metadata: namespace === undefined ? metadata : { ...metadata, namespace: where ?? namespace } };
}

function usesIt(reference: Pick<Reference, 'path' | 'match' | 'default'>, object: KubeObject): boolean {
  const field = fieldOf(reference);
  return fits(reference.match, object) && (!field || usesOf(field, object).length > 0);
}
