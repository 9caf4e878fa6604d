/**
 * Work that may have to wait, step by step: each value is a promise to wait for, or
 * undefined when others should get a turn first.
 */
export type Steps<Result = void> = Generator<Promise<unknown> | undefined, Result, void>;

/**
 * Runs steps at once for as long as none of them waits; a promise for the rest when one does. Most
 * requests wait for nothing, and then nothing can come between them and the write.
 */
export function runSteps(steps: Steps): Promise<void> | undefined {
  const first = steps.next();
  return first.done ? undefined : runRest(steps, first.value);
}

async function runRest(steps: Steps, first: Promise<unknown> | undefined): Promise<void> {
  let waiting = first;
  for (;;) {
    let failure: { readonly error: unknown } | undefined;
    try {
      await (waiting ?? anyTurn());
    } catch (error) {
      failure = { error };
    }
    const step = failure ? steps.throw(failure.error) : steps.next();
    if (step.done) return;
    waiting = step.value;
  }
}

function anyTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A step that waits for a promise and goes on with what it gives. */
export function* waitFor<Value>(promise: Promise<Value>): Steps<Value> {
  let given: { readonly value: Value } | undefined;
  yield promise.then((value) => {
    given = { value };
  });
  return (given as unknown as { readonly value: Value }).value;
}
