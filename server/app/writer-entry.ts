// Where the writer thread begins. In this folder, because a one-file executable has all its entries in one folder.
export const WRITER_ENTRY = new URL('./writer.ts', import.meta.url);
