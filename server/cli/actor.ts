/** Who acts in audit rows that a command writes. */
export const COMMAND_ACTOR = { actorId: 0, actorName: 'command line', address: '', requestId: '' } as const;
