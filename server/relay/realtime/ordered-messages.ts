// The messages of one direction, in their order. A message that the hold does not cover waits until the hold has grown,
// and later messages wait behind it.

export type Message = string | Uint8Array;

export interface MessagesOwner {
  /**
   * Counts the message. True: the hold covers it. A promise of false: the message is not sent, and no later one; of a message: that one
   * is sent instead.
   */
  covers(message: Message): true | Promise<boolean | Message>;
  send(message: Message): void;
}

export class OrderedMessages {
  readonly #owner: MessagesOwner;
  readonly #behind: Message[] = [];
  /** Has been counted and waits for the hold. */
  #waiting: Message | undefined;
  #waitingBytes = 0;

  constructor(owner: MessagesOwner) {
    this.#owner = owner;
  }

  /** The memory of messages that wait; the brake counts it. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** A message was counted and has not been sent. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  push(message: Message): void {
    if (this.#waiting !== undefined) {
      this.#behind.push(message);
      this.#waitingBytes += message.length;
      return;
    }
    const isCovered = this.#owner.covers(message);
    if (isCovered === true) return this.#owner.send(message);
    this.#waiting = message;
    this.#waitingBytes += message.length;
    void isCovered.then((paid) => {
      if (paid !== false) this.#continue(message, paid === true ? message : paid);
    });
  }

  #continue(message: Message, sent: Message): void {
    this.#waiting = undefined;
    this.#waitingBytes -= message.length;
    this.#owner.send(sent);
    while (this.#waiting === undefined) {
      const next = this.#behind.shift();
      if (next === undefined) return;
      this.#waitingBytes -= next.length;
      this.push(next);
    }
  }
}
