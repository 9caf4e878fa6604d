import type { FieldSet } from '@slipway/api-machinery/apply/field-set';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import type { FieldSchema, ObjectSchema } from '@slipway/api-machinery/schema/object-schema';
import type { KubeObject, ResourceRef } from '@slipway/kube';
import type { WebhookClient } from '@slipway/kube-objects/rules/webhook-client';
import type { Store } from '@slipway/object-store/store';
import type { AnswerReview } from './review.js';

/**
 * Everything the API server knows of one resource at one version. Built-in kinds
 * declare it; a CustomResourceDefinition is turned into one: from there on there
 * is a single code path.
 */
export interface ResourceDefinition extends ResourceRef {
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** `custom` follows the rules of custom resources: no strategic merge, no protobuf, PUT must carry resourceVersion. */
  readonly origin: 'built-in' | 'custom';
  /** Storage key of the objects; two definitions with the same one are views of the same objects (events). */
  readonly storedAs: string;
  /** The version in which Kubernetes stores the kind, where that is not its own: discovery shows a hash of it. */
  readonly storageVersion?: string;
  readonly schema: ObjectSchema;
  /** The message of a built-in kind in the type table: `apps.v1.StatefulSet`. Absent for custom kinds. */
  readonly message?: string;
  /** Versions in which a body may come as well, by their apiVersion. Default: none. */
  readonly olderVersions?: readonly string[];
  readonly subresources: Subresources;
  /**
   * Top-level fields whose change raises metadata.generation; none = the kind has no generation.
   * Custom kinds need none: everything counts but metadata and, where it is a subresource, status.
   */
  readonly generationFields: readonly string[];
  /** The first version of Kubernetes that counts generations; absent = all. */
  readonly generationSince?: string;
  /** What a write of the status of a built-in kind leaves as it was: all metadata, or some of its fields; absent = none. */
  readonly statusKeeps?: StatusKeeps;
  /** What writers of a subresource, '' for the object itself, do not come to own, where it is not the usual. */
  readonly resetFields?: Readonly<Record<string, FieldSet>>;
  /** Whether an update must name the version that it replaces; those of custom kinds must. */
  readonly mustNameVersion?: boolean;
  /** What becomes of dependents when a delete does not say; absent = they are deleted. */
  readonly orphansDependents?: boolean;
  /** Tells the client of a delete that it orphans dependents without saying so. */
  readonly orphanWarning?: string;
  /** The group that errors about an object name, where that is not the group of the resource. */
  readonly errorGroup?: string;
  /** Whether deletes of objects that the store cannot read are refused from 1.37 on. */
  readonly hasNoUnsafeDelete?: true;
  /** Whether a PUT of an object that does not exist creates it. */
  readonly createdByPut?: boolean;
  /**
   * Fills in defaults, in place. Called after decoding and after every patch. An apply
   * keeps nulls that a custom kind does not allow and has no default for: they are refused later.
   */
  readonly applyDefaults: (object: KubeObject, nulls?: 'kept') => void;
  /** Fills in what depends on the server, in place; its writer owns that like other defaults. */
  readonly applyServerDefaults?: (object: KubeObject, context: DefaultsContext) => void;
  /** Last changes before validation of a create, in place: fields a writer may not set, initial status. */
  readonly prepareForCreate?: (object: KubeObject, context: WriteContext) => void;
  /** The same before an update; `old` must not be changed. */
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, context: WriteContext) => void;
  /** Work of the validation that would take too long in one piece, done before it; undefined when there is little. */
  readonly prepareToValidate?: (object: KubeObject) => Promise<void> | undefined;
  readonly validateCreate: (object: KubeObject) => readonly FieldError[];
  /**
   * `subresource` is the one written, '' or absent for the object itself: only a binding may set a pod's node.
   * `version` is what the server claims to be, such as 1.34: some rules are younger than others.
   */
  readonly validateUpdate: (
    object: KubeObject,
    old: KubeObject,
    subresource?: string,
    version?: string,
  ) => readonly FieldError[];
  /** Rules that depend on a gate: gate -> errors. `isOn` is its value; `old` is what an update replaces. */
  readonly gatedRules?: Readonly<
    Record<string, (object: KubeObject, isOn: boolean, old?: KubeObject) => readonly FieldError[]>
  >;
  /** The same two with rests, for kinds whose objects can take long; absent for all others. */
  readonly validating?: {
    create(object: KubeObject): Resumable<readonly FieldError[]>;
    update(object: KubeObject, old: KubeObject, subresource: string, version: string): Resumable<readonly FieldError[]>;
  };
  /** Columns of the table that kubectl prints, after NAME. */
  readonly columns: readonly Column[];
  /** There is no NAME before the columns: events, whose names say nothing. */
  readonly namelessRows?: boolean;
  /** In which order tables show objects, where it is not that of their names. */
  readonly rowOrder?: (a: KubeObject, b: KubeObject) => number;
  /** Field selectors beyond metadata.name and metadata.namespace: path -> value ('' when unset). */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Kinds that stop gracefully (pods): seconds to wait, given what was asked for. Absent = deleted at once. */
  readonly gracePeriodSeconds?: (object: KubeObject, requested: number | undefined) => number;
  /** A delete that is done answers with the last state of the object; absent = with a Status. */
  readonly returnsDeleted?: boolean;
  /** Rows expire this long after their last write (events). */
  readonly timeToLiveMs?: number;
  /** Last changes of the first delete, in place: adding a finalizer makes the object wait for whoever removes it. */
  readonly prepareForDelete?: (object: KubeObject, context: WriteContext) => void;
  /** Fields that are neither stored anew nor published while a gate is off: gate -> `spec.a.b`, `spec.list[*].b`. */
  readonly gatedFields?: Readonly<Record<string, readonly string[]>>;
  /** What the writer of an accepted object is told in `Warning` headers, on create and update. */
  readonly warnings?: (object: KubeObject, old?: KubeObject) => Resumable<readonly string[]>;
  /** The shape of names: what is wrong with one of an object, in Kubernetes' words. Absent = DNS subdomains. */
  readonly nameProblems?: (name: string, object: KubeObject) => readonly string[];
  /**
   * Which writes hold generateName to the shape of names: absent = all; `last` = all, and updates report it after what else
   * is wrong with the metadata; `create` = only creates, as custom resources have it; `none` from 1.37 on.
   */
  readonly nameRules?: 'last' | 'create' | 'none';
  /** Every answer about this version carries it as a warning. */
  readonly deprecationWarning?: string;
  /** Objects of the kind are questions: a create is answered at once, and nothing is stored. */
  readonly answer?: AnswerReview;
  /**
   * Objects that are not stored: worked out for each request from what is, those of one namespace or, with '', all.
   * They can only be read: `verbs` says so.
   */
  readonly computed?: (reader: Pick<Store, 'list'>, namespace: string, nowMs: number) => readonly KubeObject[];
  /** The first version of Kubernetes that serves the resource, such as `1.34`; absent = all that a server may claim to be. */
  readonly since?: string;
  /** The last version of Kubernetes that serves it; absent = all later ones. */
  readonly lastIn?: string;
  /** A create is one of this subresource, of the object that the body names; nothing of its own is stored. */
  readonly createsPart?: { readonly plural: string; readonly subresource: string };
  /** Verbs served, when not all of them: namespaces have no deletecollection. */
  readonly verbs?: readonly Verb[];
  /**
   * How this version differs from what is stored (another version of a custom
   * resource, events.k8s.io). Absent = objects are stored as they are served.
   * Neither function may change its argument.
   */
  readonly view?: {
    readonly fromStored: (stored: KubeObject) => KubeObject;
    readonly toStored: (served: KubeObject) => KubeObject;
  };
  /**
   * Set where a webhook converts between what is stored and this version. `view` is then for objects of this version, and
   * for what cannot wait for a webhook.
   */
  readonly conversion?: {
    readonly client: WebhookClient;
    readonly reviewVersion: string;
    /** The apiVersion in which objects are stored. */
    readonly storedAs: string;
    /** A stored object as its own version has it: pruned, and with defaults. */
    readonly decoded: (stored: KubeObject) => KubeObject;
    /** Prunes a converted object, which belongs to this function, as this version has it. */
    readonly pruned: (converted: KubeObject) => KubeObject;
    readonly prunedForStorage: (converted: KubeObject) => KubeObject;
  };
  /**
   * How fields merge at a version of a custom kind, served or not, by apiVersion;
   * undefined for one that there is not. Absent for built-in kinds.
   */
  readonly typeAt?: (apiVersion: string) => FieldSchema | undefined;
}

/** Verbs of a resource, as discovery names them. */
export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export interface Subresources {
  readonly status?: boolean;
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  /** pods/binding */
  readonly binding?: boolean;
  /** pods/eviction */
  readonly eviction?: boolean;
  /** pods/resize */
  readonly resize?: boolean;
  /** pods/ephemeralcontainers */
  readonly ephemeralcontainers?: boolean;
  /** pods/log */
  readonly log?: boolean;
  /** pods/attach */
  readonly attach?: boolean;
  /** pods/exec */
  readonly exec?: boolean;
  /** pods/portforward */
  readonly portforward?: boolean;
  /** pods/proxy, services/proxy and nodes/proxy */
  readonly proxy?: boolean;
  /** serviceaccounts/token */
  readonly token?: boolean;
  /** certificatesigningrequests/approval */
  readonly approval?: boolean;
  /** namespaces/finalize */
  readonly finalize?: boolean;
}

export interface WriteContext {
  /** Value of an API server gate; gated fields are dropped by it unless the stored object already uses them. */
  readonly isEnabled: (gate: string) => boolean;
  /** The subresource written, '' for the object itself. */
  readonly subresource: string;
  /** Now, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** What the server claims to be, such as `1.34`: some rules are younger than others. */
  readonly version: string;
}

export type StatusKeeps = 'metadata' | readonly ('labels' | 'ownerReferences')[];

/** What the defaults of a kind depend on besides the object. */
export interface DefaultsContext {
  /** Value of an API server gate. */
  readonly isEnabled: (gate: string) => boolean;
  /** Now, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** What the server claims to be, such as `1.34`. */
  readonly version: string;
}

/** One column of a `Table`. Priority 1 shows only with `-o wide`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  readonly priority: 0 | 1;
  readonly cell: (
    object: KubeObject,
    nowMs: number,
    /** What the cells of a row have taken together. */
    effort?: { looks: number },
  ) => string | number | bigint | boolean | null;
}
