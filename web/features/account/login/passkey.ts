/** Signing in by passkey with the browser's JSON helpers; browsers without them have no button. */
import type { TollgateApi } from '#contract/api.ts';
import type { CallInput } from '#contract/client.ts';
import type { SessionUser } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';

export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential !== 'undefined' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

/** Whether the browser can offer passkeys in the name field, without a button. */
export async function offersInField(): Promise<boolean> {
  return hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable());
}

interface PasskeyLogin {
  /** Wait for a choice in the name field instead of opening a dialog. */
  inField?: boolean;
  signal?: AbortSignal;
}

/** Null when the user closed the dialog, or the signal aborted. */
export async function signInByPasskey({
  inField = false,
  signal,
}: PasskeyLogin): Promise<SessionUser | null> {
  const options = await api.signIn.passkeyLoginBegin({ signal });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials
    .get({ publicKey, mediation: inField ? 'conditional' : 'optional', signal })
    .catch((error: unknown) => {
      const isCancelled =
        error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError');
      if (isCancelled) return null;
      throw error;
    });
  if (!(credential instanceof PublicKeyCredential)) return null;
  // The platform's type is `string` where the value is always 'public-key'.
  const used = credential.toJSON() as CallInput<
    TollgateApi['signIn']['passkeyLoginFinish']
  >['body']['credential'];
  return await api.signIn.passkeyLoginFinish({ body: { credential: used } });
}
