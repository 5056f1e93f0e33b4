/** Passkeys in the browser: takes the server's options, returns the credential as JSON. */
import type { api } from '#web/api.ts';

type Attestation = Parameters<typeof api.security.passkeyRegisterFinish>[0]['body']['credential'];
type Assertion = Parameters<typeof api.security.confirmPasskeyFinish>[0]['body']['credential'];

/** False where the page cannot use passkeys: an old browser, or a site without https. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'
  );
}

/** The user closed the browser's dialog or let it time out; no error is shown. */
export class PasskeyCancelled extends Error {
  override readonly name = 'PasskeyCancelled';
}

async function credentialOf(asked: Promise<Credential | null>): Promise<PublicKeyCredential> {
  let credential: Credential | null;
  try {
    credential = await asked;
  } catch (error) {
    if (error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError'))
      throw new PasskeyCancelled(error.message);
    throw error;
  }
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyCancelled('no credential');
  return credential;
}

export async function createPasskey(options: Record<string, unknown>): Promise<Attestation> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return (await credentialOf(navigator.credentials.create({ publicKey }))).toJSON() as unknown as Attestation;
}

export async function askPasskey(options: Record<string, unknown>): Promise<Assertion> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return (await credentialOf(navigator.credentials.get({ publicKey }))).toJSON() as unknown as Assertion;
}
