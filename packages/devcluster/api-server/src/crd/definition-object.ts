import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import type { KubeObject } from '@slipway/kube';
import type { WebhookClient } from '@slipway/kube-objects/rules/webhook-client';
import type { PrinterColumn } from './printer-columns.js';

/** spec.names of a CustomResourceDefinition, and status.acceptedNames. */
export interface Names {
  plural?: string;
  singular?: string;
  shortNames?: string[];
  kind?: string;
  listKind?: string;
  categories?: string[];
}

/** One of spec.versions. */
export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** A condition of a CustomResourceDefinition; it has no observedGeneration. */
export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** A CustomResourceDefinition of apiextensions.k8s.io/v1, as admitted. */
export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string;
    scope: string;
    names: Names;
    versions: readonly Version[];
    conversion?: {
      strategy?: string;
      webhook?: { clientConfig?: WebhookClient; conversionReviewVersions?: readonly string[] };
    };
    preserveUnknownFields?: boolean;
  };
  status: {
    conditions?: readonly DefinitionCondition[] | null;
    acceptedNames: Names;
    storedVersions: string[] | null;
  };
}

/** Versions of ConversionReview, the newest first. */
export const knownConversionReviews: readonly string[] = ['v1', 'v1beta1'];

/** The version objects are stored at. */
export function storageVersion(definition: CustomResourceDefinition): Version | undefined {
  return definition.spec.versions?.find((version) => version.storage);
}

/** The schema of a version; without one, anything goes. */
export function schemaOf(version: Version): JsonSchema {
  return version.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
}

export function conditionOf(definition: CustomResourceDefinition, type: string): DefinitionCondition | undefined {
  return definition.status?.conditions?.find((condition) => condition.type === type);
}
