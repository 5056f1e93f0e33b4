/** The call table that contractWire() makes at build time. */
declare module 'virtual:contract-wire' {
  export const wire: Record<string, Record<string, { method?: string; path: string; bare?: boolean }>>;
}
