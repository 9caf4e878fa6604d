import { type Status, stringifyJson } from '@slipway/kube';
import type { Representation } from '../request/negotiate.js';
import type { EncodedFrame } from '../request/request.js';
import { bareOf, leanBareOf, leanOf, parseIfLarge, type Served } from '../response/payloads.js';
import { partialOf, type TableStyle, tableOf } from '../response/table.js';

/** An event on its way to watchers that want the same form. Encoded when first written. */
export interface WatchFrame extends EncodedFrame {
  /** The form for a watcher's first event: tables name their columns there and only there. */
  first(): EncodedFrame;
}

/** Turns events into frames of one form. */
export interface FrameMaker {
  /** `served.object` is the object; `revision` that of the event, where it is another. */
  make(type: string, served: Served): WatchFrame;
}

/** Frames that carry objects as they are: the encoded entry goes out as it is stored. */
export const objectFrames: FrameMaker = {
  make: (type, served) => new ObjectFrame(type, served),
};

/** Frames that carry bare metadata. */
export function partialFrames(version: Representation['version']): FrameMaker {
  return { make: (type, served) => new PartialFrame(type, served, version) };
}

/** Frames that carry a table of one row. */
export function tableFrames(style: () => TableStyle): FrameMaker {
  return {
    make: (type, served) => new TableFrame(type, served, style(), false),
  };
}

/** The event that ends a stream which cannot go on. */
export function errorFrame(status: Status): EncodedFrame {
  const line = `{"type":"ERROR","object":${stringifyJson(status)}}\n`;
  return { type: 'ERROR', line: () => line, object: () => status };
}

class ObjectFrame implements WatchFrame {
  readonly type: string;
  readonly #served: Served;
  #line: string | undefined;
  #lean: unknown;

  constructor(type: string, served: Served) {
    this.type = type;
    this.#served = served;
  }

  line(): string {
    this.#line ??= `{"type":"${this.type}","object":${this.#served.json}}\n`;
    return this.#line;
  }

  parseIfLarge(): Promise<void> | undefined {
    return this.#lean === undefined ? parseIfLarge(this.#served) : undefined;
  }

  object(): unknown {
    return this.#served.object;
  }

  /** Held until everybody has it, so that they share it. */
  lean(): unknown {
    this.#lean ??= leanOf(this.#served);
    return this.#lean;
  }

  first(): EncodedFrame {
    return this;
  }
}

class PartialFrame implements WatchFrame {
  readonly type: string;
  readonly #served: Served;
  readonly #version: Representation['version'];
  #line: string | undefined;
  #lean: unknown;

  constructor(type: string, served: Served, version: Representation['version']) {
    this.type = type;
    this.#served = served;
    this.#version = version;
  }

  line(): string {
    this.#line ??= `{"type":"${this.type}","object":${stringifyJson(this.object())}}\n`;
    return this.#line;
  }

  parseIfLarge(): Promise<void> | undefined {
    return this.#lean || this.#served.metadataIfKnown ? undefined : parseIfLarge(this.#served);
  }

  object(): unknown {
    return partialOf(bareOf(this.#served), this.#version);
  }

  lean(): unknown {
    this.#lean ??= partialOf(leanBareOf(this.#served), this.#version);
    return this.#lean;
  }

  first(): EncodedFrame {
    return this;
  }
}

/** Made when it is written: a watch may begin with thousands of them. */
class TableFrame implements WatchFrame {
  readonly type: string;
  readonly #served: Served;
  readonly #style: TableStyle;
  readonly #isHeaded: boolean;
  #line: string | undefined;

  constructor(type: string, served: Served, style: TableStyle, isHeaded: boolean) {
    this.type = type;
    this.#served = served;
    this.#style = style;
    this.#isHeaded = isHeaded;
  }

  line(): string {
    this.#line ??= `{"type":"${this.type}","object":${stringifyJson(this.object())}}\n`;
    return this.#line;
  }

  parseIfLarge(): Promise<void> | undefined {
    return parseIfLarge(this.#served);
  }

  object(): unknown {
    const { object } = this.#served;
    const { resourceVersion = '' } = object.metadata;
    return tableOf([object], { resourceVersion }, this.#style, this.#isHeaded);
  }

  first(): EncodedFrame {
    return new TableFrame(this.type, this.#served, this.#style, true);
  }
}
