// The error of a promise, to be inspected; a promise that does not fail fails the test.

export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error), { cause: error });
  }
  throw new Error('it was expected to fail and did not');
}
