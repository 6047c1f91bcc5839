// SPDX-License-Identifier: Apache-2.0
// Waiting that ends when a signal says so, and giving way to other work.

/** The promise's outcome, or the signal's reason as soon as it aborts. */
export async function unlessAborted<T>(
  promise: PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return promise;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, fail) => {
    stop = () => fail(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    // Whichever lost may still fail, which is nobody's concern any more.
    void Promise.resolve(promise).catch(() => undefined);
  }
}

/** Lets messages, timers and input that wait be heard. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });
}
