/** Where an address of this gateway leads: to this machine, a private network or the internet. */

function hostname(address: string): string {
  try {
    return new URL(address).hostname;
  } catch {
    return '';
  }
}

function isLocal(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name.startsWith('127.');
}

export function isPlainRemote(address: string): boolean {
  return address.startsWith('http:') && !isLocal(hostname(address));
}

export function isPrivate(address: string): boolean {
  const name = hostname(address);
  return (
    isLocal(name) || /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)|\.(?:local|lan|internal)$/.test(name)
  );
}
