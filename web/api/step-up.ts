/** Some calls ask for another proof of who sits here. The application says how to ask; calls at the same time share one question. */

let ask: () => Promise<boolean> = () => Promise.resolve(false);
let asking: Promise<boolean> | undefined;

export function onStepUp(handler: () => Promise<boolean>): void {
  ask = handler;
}

/** True when the user has proven it: the call that asked can be sent again. */
export function stepUp(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}
