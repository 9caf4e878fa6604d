import { apiVersionOf, type KubeObject, stringifyJson } from '@slipway/kube';
import type { EncodedText } from '@slipway/object-store/store';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { type Piece, type TextSource, textOfPiece } from '../request/pieces.js';
import { pieceOf, type Served } from './payloads.js';

/** Returns a function that encodes an object as an item of a list of its kind, which says kind and version once for all of them. */
export function itemEncoder(definition: ResourceDefinition): (served: Served) => Piece | readonly Piece[] {
  const [kind, apiVersion] = [definition.kind, apiVersionOf(definition)].map((text) => JSON.stringify(text));
  const heads = [`{"apiVersion":${apiVersion},"kind":${kind},`, `{"kind":${kind},"apiVersion":${apiVersion},`];
  return (served) => ['{', new ItemText(pieceOf(served), heads)];
}

/** An item of a list without its kind and version. */
export function untyped({ apiVersion: _version, kind: _kind, ...rest }: KubeObject): object {
  return rest;
}

/** What follows the brace, and the kind and version, of the text of an object: nothing is encoded again for it. */
class ItemText implements TextSource {
  readonly #piece: Piece;
  readonly #heads: readonly string[];

  constructor(piece: Piece, heads: readonly string[]) {
    this.#piece = piece;
    this.#heads = heads;
  }

  get size(): number {
    return typeof this.#piece === 'string' ? this.#piece.length : this.#piece.size;
  }

  encoded(): EncodedText | string {
    const text = typeof this.#piece === 'string' ? this.#piece : this.#piece.encoded();
    for (const head of this.#heads) {
      if (typeof text === 'string') {
        if (text.startsWith(head)) return text.slice(head.length);
      } else if (text.bytes.toString('latin1', text.start, text.start + head.length) === head) {
        return { ...text, start: text.start + head.length };
      }
    }
    return stringifyJson(untyped(JSON.parse(textOfPiece(this.#piece)))).slice(1);
  }
}
