import type { Store } from '@slipway/object-store/store';
import { mayMatch, type Surroundings, type Target } from '../matching/match-resources.js';
import { followObjects, type StoredObjects } from '../matching/stored-objects.js';
import { TargetIndex } from '../matching/target-index.js';
import { type Webhook, webhooksOf } from './webhook.js';

/** The webhooks of one kind that are in effect, from the moment their configuration is stored. */
export class WebhookSource {
  readonly #around: Surroundings;
  readonly #configurations: StoredObjects;
  readonly #index = new TargetIndex((target) => this.#find(target));
  #webhooks: readonly Webhook[] | undefined;

  /** @param resource such as `validatingwebhookconfigurations.admissionregistration.k8s.io` */
  constructor(store: Pick<Store, 'list' | 'watch'>, resource: string, around: Surroundings) {
    this.#around = around;
    this.#configurations = followObjects(store, resource, () => {
      this.#webhooks = undefined;
      this.forget();
    });
  }

  /** The webhooks that requests of this kind may be about, in the order in which they are called. */
  about(target: Target): readonly Webhook[] {
    return this.#configurations.isEmpty ? none : this.#index.get(target);
  }

  /** To be called when other resources are served than before. */
  forget(): void {
    this.#index.forget();
  }

  close(): void {
    this.#configurations.close();
  }

  #find(target: Target): readonly Webhook[] {
    this.#webhooks ??= this.#configurations.all().flatMap(webhooksOf);
    // Unlike a policy, a webhook without rules is about nothing.
    return this.#webhooks.filter(
      ({ match }) => (match.resourceRules ?? []).length > 0 && mayMatch(match, target, this.#around),
    );
  }
}

const none: readonly never[] = [];
