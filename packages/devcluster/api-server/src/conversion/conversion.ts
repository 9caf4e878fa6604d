import { statusError } from '@slipway/api-machinery/errors/status-errors';
import { sortedKeys } from '@slipway/api-machinery/json/go-text';
import {
  apiVersionOf,
  errorMessage,
  type KubeObject,
  mapConcurrently,
  StatusError,
  stringifyJson,
} from '@slipway/kube';
import type { Entry } from '@slipway/object-store/store';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { isViewed, rememberView, type Served, serve } from '../response/payloads.js';
import { askWebhook, type WebhookDeps } from '../webhooks/ask-webhook.js';
import { ConversionNeededError } from './conversion-needed.js';
import { conversionReview, convertedObject } from './conversion-review.js';

/** Seconds that a webhook may take for one object. */
const timeoutSeconds = 30;
/** Objects of one list that are converted at once. */
const atOnce = 50;
/** Objects that computations needed in another version, kept until they are repeated. */
const maxComputed = 256;

/** Converts objects of custom kinds whose versions differ in more than their names: their webhook does it. */
export interface Conversion {
  /**
   * Converts stored objects into the version of a definition, so that `serve` has them; undefined when there is nothing
   * to do. Each is converted once, as the watch cache of Kubernetes does it.
   * @throws StatusError InternalError, as for objects that cannot be decoded
   */
  prepare(definition: ResourceDefinition, entries: readonly Entry[]): Promise<void> | undefined;
  /**
   * As `prepare`, for the basis of an update.
   * @throws StatusError without a reason
   */
  prepareBasis(definition: ResourceDefinition, entry: Entry): Promise<void> | undefined;
  /**
   * Returns an entry as a definition serves it, converted anew: as a read of the storage does it.
   * @throws StatusError as `prepare`
   */
  read(definition: ResourceDefinition, entry: Entry): Served | Promise<Served>;
  /**
   * Returns an object in the version in which it is stored.
   * @throws StatusError without a reason when it cannot be converted
   */
  toStored(definition: ResourceDefinition, object: KubeObject): KubeObject | Promise<KubeObject>;
  /**
   * Returns an object in a version of its kind as the webhook makes it, not pruned: for computations that cannot wait.
   * @throws ConversionNeededError when it was not converted yet
   */
  known(definition: ResourceDefinition, object: KubeObject, to: string): KubeObject;
  /**
   * Returns an object of a request in another version of its kind.
   * @throws StatusError as `toStored`
   */
  between(from: ResourceDefinition, to: ResourceDefinition, object: KubeObject): Promise<KubeObject>;
  /**
   * Returns an object that is not stored as it would come back from the storage.
   * @throws StatusError as `toStored`
   */
  roundTrip(definition: ResourceDefinition, object: KubeObject): KubeObject | Promise<KubeObject>;
}

type ByWebhook = NonNullable<ResourceDefinition['conversion']>;

/** @param webhooks how webhooks are asked */
export function conversionBy(webhooks: WebhookDeps): Conversion {
  /** Objects by their texts and the version that they were converted to. */
  const computed = new WeakMap<ResourceDefinition, Map<string, KubeObject>>();
  const underWay = new WeakMap<Entry, Map<ResourceDefinition, Promise<void>>>();

  async function convert(by: ByWebhook, object: KubeObject, to: string): Promise<KubeObject> {
    const request = { object, to, uid: webhooks.newUid(), reviewVersion: by.reviewVersion };
    const { apiVersion, kind } = object;
    let answer: unknown;
    try {
      answer = await askWebhook(by.client, stringifyJson(conversionReview(request)), timeoutSeconds, webhooks);
    } catch (cause) {
      throw new Error(`conversion webhook for ${apiVersion}, Kind=${kind} failed: ${errorMessage(cause)}`, { cause });
    }
    return sortedKeys(convertedObject(answer, request)) as KubeObject;
  }

  async function view(definition: ResourceDefinition, by: ByWebhook, entry: Entry): Promise<KubeObject> {
    try {
      return by.pruned(await convert(by, by.decoded(entry.object), apiVersionOf(definition)));
    } catch (cause) {
      throw new UndecodableError(`object not decodable revision=${entry.revision}: ${errorMessage(cause)}`, { cause });
    }
  }

  /** Several watches and requests may want the same at once. */
  function remember(definition: ResourceDefinition, by: ByWebhook, entry: Entry): Promise<void> {
    const known = underWay.get(entry) ?? new Map<ResourceDefinition, Promise<void>>();
    underWay.set(entry, known);
    const viewing =
      known.get(definition) ??
      view(definition, by, entry)
        .then((object) => rememberView(definition, entry, object))
        .finally(() => known.delete(definition));
    known.set(definition, viewing);
    return viewing;
  }

  function toStored(definition: ResourceDefinition, object: KubeObject): KubeObject | Promise<KubeObject> {
    const by = definition.conversion;
    if (!by || object.apiVersion === by.storedAs) return object;
    return convert(by, object, by.storedAs).then(by.prunedForStorage, unreadable);
  }

  /** Whether an entry is in another version, and not converted yet. */
  function isMissing(definition: ResourceDefinition, entry: Entry): boolean {
    return !isViewed(definition, entry) && entry.object.apiVersion !== apiVersionOf(definition);
  }

  return {
    toStored,
    prepare(definition, entries) {
      const by = definition.conversion;
      if (!by) return undefined;
      const wanted = entries.filter((entry) => isMissing(definition, entry));
      if (wanted.length === 0) return undefined;
      const prepareOne = (entry: Entry) => remember(definition, by, entry).catch(corrupt(definition, entry));
      return mapConcurrently(wanted, atOnce, prepareOne).then(() => {});
    },
    prepareBasis(definition, entry) {
      const by = definition.conversion;
      return by && isMissing(definition, entry) ? remember(definition, by, entry).catch(unreadable) : undefined;
    },
    read(definition, entry) {
      const by = definition.conversion;
      if (!by || entry.object.apiVersion === apiVersionOf(definition)) return serve(definition, entry);
      const served = view(definition, by, entry).then((object) => ({ object, json: stringifyJson(object) }));
      return served.catch(corrupt(definition, entry));
    },
    known(definition, object, to) {
      const by = definition.conversion;
      if (!by || object.apiVersion === to) return object;
      const results = computed.get(definition) ?? new Map<string, KubeObject>();
      computed.set(definition, results);
      const key = `${to} ${stringifyJson(object)}`;
      const result = results.get(key);
      if (result) return result;
      throw new ConversionNeededError(async () => {
        const [oldest] = results.keys();
        if (results.size >= maxComputed && oldest !== undefined) results.delete(oldest);
        results.set(key, await convert(by, object, to).catch(unreadable));
      });
    },
    async between(from, to, object) {
      if (!from.conversion || !to.conversion) throw new TypeError(`${from.plural} are not converted by a webhook`);
      return await convert(from.conversion, object, apiVersionOf(to)).then(to.conversion.pruned, unreadable);
    },
    roundTrip(definition, object) {
      const { conversion: by, view } = definition;
      const stored = toStored(definition, object);
      if (!by || !(stored instanceof Promise)) return view ? view.fromStored(view.toStored(object)) : object;
      return stored.then((sent) => convert(by, by.decoded(sent), apiVersionOf(definition))).then(by.pruned, unreadable);
    },
  };
}

function unreadable(error: unknown): never {
  throw error instanceof StatusError ? error : statusError(500, undefined, errorMessage(error));
}

/** An entry cannot be converted into a version. */
class UndecodableError extends Error {
  override readonly name = 'UndecodableError';
}

/** Turns the error of an entry into the one of a read of the storage. */
function corrupt({ group, plural }: ResourceDefinition, { namespace, name }: Entry) {
  return (error: unknown): never => {
    if (!(error instanceof UndecodableError)) throw error;
    const key = `/${[group, plural, namespace, name].filter(Boolean).join('/')}`;
    const where = `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0`;
    const message = `${where}, AdditionalErrorMsg: ${error.message}`;
    throw statusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
  };
}
