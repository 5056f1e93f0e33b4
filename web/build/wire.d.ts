/** The call table that contractWire() makes at build time. */
declare module 'virtual:contract-wire' {
  export const wire: Record<string, Record<string, string>>;
}

/** The limits of an endpoint's body, by its name in the contract: `virtual:limits/rerating.undo`. */
declare module 'virtual:limits/*' {
  const limits: import('../ui/input/limits.ts').Limits;
  export default limits;
}

/** The documents of docs/, made by documents() at build time. */
declare module 'virtual:documents' {
  export const sections: import('../../contract/admin/documents.ts').DocumentSection[];
  /** By `<slug>.<language>`. */
  export const texts: Record<string, () => Promise<{ default: string }>>;
}
