import type { DocumentKind } from '../kinds/document-kind.js';
import type { Metadata } from '../kinds/metadata.js';

/** A document of a kind that the configuration declares. */
export interface DeclaredFacts {
  readonly kind: DocumentKind;
  readonly metadata: Metadata;
  /** Of the document, relative to the root. */
  readonly path: string;
}
