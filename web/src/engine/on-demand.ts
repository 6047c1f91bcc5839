// SPDX-License-Identifier: Apache-2.0
// What is fetched when it is first needed.

/** Made when it is first asked for, kept, and made again after a failure. */
export function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return async () => {
    const mine = made ??= make();
    try {
      return await mine;
    } catch (error) {
      // Another may have been begun by who asked at the same time.
      if (made === mine) made = undefined;
      throw error;
    }
  };
}
