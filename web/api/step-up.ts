/** Step-up: some calls need a fresh proof of identity. The application registers the dialog; concurrent calls share it. */

let ask: () => Promise<boolean> = () => Promise.resolve(false);
let asking: Promise<boolean> | undefined;

export function onStepUp(handler: () => Promise<boolean>): void {
  ask = handler;
}

/** True when the user confirmed: the refused call can be sent again. */
export function stepUp(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}
