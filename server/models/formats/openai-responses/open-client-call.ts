// Streams the call of a tool that the client runs (shell, patch). Its arguments are one JSON text, so the item is sent once the
// text is complete.
import { isObject, list, member, type Json } from '#server/models/formats/json.ts';
import type { ClientCall } from './client-tools.ts';
import { Item, type Writer } from './open-items.ts';

interface NamedCall {
  callId: string;
  call: ClientCall;
}

export class ClientCallItem extends Item {
  isOpen = true;
  readonly #named: NamedCall;
  #given = '';

  constructor(writer: Writer, id: string, outputIndex: number, named: NamedCall) {
    super(writer, id, outputIndex);
    this.#named = named;
  }

  open(): string {
    const { call, callId } = this.#named;
    return this.added(call.item(this.id, callId, undefined));
  }

  delta(piece: string): string {
    this.#given += piece;
    return '';
  }

  isWhole(): boolean {
    try {
      return isObject(JSON.parse(this.#given));
    } catch {
      return false;
    }
  }

  close(): { written: string; done: Json } {
    this.isOpen = false;
    const { call, callId } = this.#named;
    const item = call.item(this.id, callId, this.#given);
    const told = item['type'] === 'shell_call' ? this.#commands(item) : '';
    return { written: told + this.done(item), done: item };
  }

  #commands(item: Json): string {
    const commands = list(member(item['action'])['commands']);
    return commands
      .map((command, index) => {
        const place = `"output_index":${this.outputIndex},"command_index":${index},`;
        const whole = JSON.stringify(command);
        return (
          this.writer.write('response.shell_call_command.added', `${place}"command":""`) +
          this.writer.write('response.shell_call_command.delta', `${place}"delta":${whole}`) +
          this.writer.write('response.shell_call_command.done', `${place}"command":${whole}`)
        );
      })
      .join('');
  }
}
