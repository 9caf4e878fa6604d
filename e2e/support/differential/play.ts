import { setTimeout as delay } from 'node:timers/promises';
import { Comparable, differences } from './comparable.js';
import type { Difference, Send } from './exchange.js';
import { isKnown } from './known-differences.js';
import type { Scenario, Step } from './scenarios.js';
import { deletePolicies, settlePolicies } from './settle-policies.js';

/** What came of a scenario. It ends with the first difference: what follows may come of that. */
export interface Outcome {
  readonly agreed: number;
  readonly difference?: Difference;
}

/** Sends the steps of a scenario to both servers, in a namespace of that name, and compares the answers. */
export async function play(
  scenario: Scenario,
  namespace: string,
  servers: { real: Send; ours: Send },
): Promise<Outcome> {
  const real = new Player(servers.real, namespace);
  const ours = new Player(servers.ours, namespace);
  await Promise.all([real.open(), ours.open()]);
  let agreed = 0;
  await using _cleared = { [Symbol.asyncDispose]: () => Promise.all([real.close(), ours.close()]).then(() => {}) };
  for (const [index, step] of scenario.steps.entries()) {
    const [said, says] = await Promise.all([real.send(step), ours.send(step)]);
    const lines = differences(said, says);
    if (!isKnown({ lines }))
      return {
        agreed,
        difference: {
          kind: scenario.kind,
          step,
          before: scenario.steps.slice(0, index),
          real: said,
          ours: says,
          lines,
        },
      };
    agreed++;
  }
  return { agreed };
}

/** How long the writes that a watch is to see wait for it: one of a version that is not there yet does not begin. */
const beginningMs = 2_000;

/** In this time a new object is in the caches of a server. */
const cachedMs = 300;

/** One of the servers in one scenario. */
class Player {
  readonly #send: Send;
  readonly #namespace: string;
  readonly #comparable = new Comparable();
  #version = '1';
  #uid = 'none';
  #hasDefinition = false;
  #policies: Step['settles'];

  constructor(send: Send, namespace: string) {
    this.#send = send;
    this.#namespace = namespace;
  }

  /** Creates the namespace, with the service account that pods run as. */
  async open(): Promise<void> {
    const namespaces = '/api/v1/namespaces';
    await this.#create(namespaces, 'Namespace', this.#namespace);
    await this.#create(`${namespaces}/${this.#namespace}/serviceaccounts`, 'ServiceAccount', 'default');
  }

  /** Waits until the objects of a new definition can be listed, at most 5 s. */
  async #established(): Promise<void> {
    this.#hasDefinition = true;
    const path = `/apis/${this.#namespace}.dev/v1/things`;
    for (let tries = 0; tries < 100; tries++) {
      const { status } = await this.#send({ method: 'GET', path });
      if (status === 200) return;
      await delay(50);
    }
  }

  /** Removes the policies and the definition of the scenario: many of them make a server slow. */
  async close(): Promise<void> {
    if (this.#policies) await deletePolicies(this.#send, this.#namespace, this.#policies);
    if (!this.#hasDefinition) return;
    const definition = `things.${this.#namespace}.dev`;
    await this.#send({
      method: 'DELETE',
      path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition}`,
    });
  }

  async #create(path: string, kind: string, name: string): Promise<void> {
    const body = JSON.stringify({ apiVersion: 'v1', kind, metadata: { name } });
    const { status, text } = await this.#send({ method: 'POST', path, contentType: 'application/json', body });
    if (status !== 201) throw new Error(`${kind} ${name} was not created: ${text}`);
  }

  async send(step: Step): Promise<unknown> {
    const { path, body, during, settles } = step;
    const sent = { ...step, path: this.#fill(path), ...(body !== undefined && { body: this.#fill(body) }) };
    if (during) return this.#sendDuring(sent, during);
    const answer = await this.#send(sent);
    this.#learn(answer.text);
    if (settles) {
      this.#policies = settles;
      await settlePolicies(this.#send, this.#namespace, settles);
    }
    // Admission looks at nodes through a cache.
    if (path.endsWith('/nodes')) await delay(cachedMs);
    if (path.endsWith('/customresourcedefinitions') && answer.status === 201) await this.#established();
    return this.#comparable.of(answer);
  }

  /** What the requests are answered that are sent while a watch is open, and then what the watch said. */
  async #sendDuring(watch: Step, steps: readonly Step[]): Promise<unknown> {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const watching = this.#send(watch, begin);
    await Promise.race([begun, watching, delay(beginningMs)]);
    const answers: unknown[] = [];
    for (const step of steps) answers.push(await this.send(step));
    return { answers, watch: this.#comparable.ofStream(await watching) };
  }

  #fill(text: string): string {
    return text.replaceAll('{ns}', this.#namespace).replaceAll('{rv}', this.#version).replaceAll('{uid}', this.#uid);
  }

  #learn(text: string): void {
    this.#version = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? this.#version;
    this.#uid = /"uid":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? this.#uid;
  }
}
