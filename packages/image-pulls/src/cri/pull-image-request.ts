import { bytesField, fieldsOf, mapField, WireError } from './wire.js';

/** What is read of a PullImageRequest. The request itself travels on as its original bytes. */
export interface PullImageRequest {
  /** The reference as text, for people; keys are made of `imageBytes`. */
  readonly image: string;
  readonly imageBytes: Uint8Array;
  /** The ImageSpec as sent: the same message asks for the status of the image. */
  readonly imageSpec: Uint8Array;
  readonly runtimeHandler: Uint8Array;
  /** Of the image and of the sandbox; the kubelet copies them from the pod, so they say what the tenant likes. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly sandboxAnnotations: ReadonlyMap<string, string>;
  /** The AuthConfig as sent, unread; undefined when there is none, which is not the same as an empty one. */
  readonly auth: Uint8Array | undefined;
  readonly podName: string;
  readonly podUid: string;
  readonly podNamespace: string;
}

/**
 * Reads a PullImageRequest of CRI v1 or v1alpha2, which have the same numbers.
 * @throws WireError also when a message that must be there once is there twice, because runtimes merge those.
 */
export function readPullImageRequest(message: Uint8Array): PullImageRequest {
  const request = singles(message, [1, 2, 3]);
  const imageSpec = request.get(1) ?? empty;
  const spec = singles(imageSpec, [1, 19]);
  const sandbox = request.get(3) ?? empty;
  const pod = singles(singles(sandbox, [1]).get(1) ?? empty, [1, 2, 3]);
  const imageBytes = spec.get(1) ?? empty;
  return {
    image: textOf(imageBytes),
    imageBytes,
    imageSpec,
    runtimeHandler: spec.get(19) ?? empty,
    annotations: mapOf(imageSpec, 2),
    sandboxAnnotations: mapOf(sandbox, 7),
    auth: request.get(2),
    podName: textOf(pod.get(1) ?? empty),
    podUid: textOf(pod.get(2) ?? empty),
    podNamespace: textOf(pod.get(3) ?? empty),
  };
}

/** Credentials for a registry, as AuthConfig has them. */
export interface RegistryAuth {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}

/** The pod an image is pulled for. */
export interface PullSandbox {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
}

/** A PullImageRequest, for whoever calls a runtime. */
export function pullImageRequest(options: {
  readonly image: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly auth?: RegistryAuth | undefined;
  readonly sandbox?: PullSandbox;
}): Buffer {
  const { image, annotations = {}, auth, sandbox } = options;
  return Buffer.concat([
    bytesField(1, imageSpec(image, annotations)),
    auth ? bytesField(2, authConfig(auth)) : empty,
    sandbox ? bytesField(3, bytesField(1, podMetadata(sandbox))) : empty,
  ]);
}

/** An ImageSpec, which also names an image in other calls. */
export function imageSpec(image: string, annotations: Readonly<Record<string, string>> = {}): Buffer {
  return Buffer.concat([bytesField(1, image), mapField(2, annotations)]);
}

function authConfig(auth: RegistryAuth): Buffer {
  const { username, password, serverAddress, identityToken, registryToken } = auth;
  const values = [username, password, auth.auth, serverAddress, identityToken, registryToken];
  return Buffer.concat(values.map((value, index) => (value ? bytesField(index + 1, value) : empty)));
}

function podMetadata({ name, uid, namespace }: PullSandbox): Buffer {
  return Buffer.concat([bytesField(1, name), bytesField(2, uid), bytesField(3, namespace)]);
}

const empty = Buffer.alloc(0);

/** The fields with these numbers, each of which may stand there once. */
function singles(message: Uint8Array, numbers: readonly number[]): ReadonlyMap<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  for (const field of fieldsOf(message)) {
    if (!numbers.includes(field.number)) continue;
    if (field.kind !== 'bytes') throw new WireError(`field ${field.number} is not a message or string`);
    if (found.has(field.number)) throw new WireError(`field ${field.number} is there twice`);
    found.set(field.number, field.bytes);
  }
  return found;
}

function mapOf(message: Uint8Array, number: number): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const field of fieldsOf(message)) {
    if (field.number !== number || field.kind !== 'bytes') continue;
    const entry = singles(field.bytes, [1, 2]);
    entries.set(textOf(entry.get(1) ?? empty), textOf(entry.get(2) ?? empty));
  }
  return entries;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
