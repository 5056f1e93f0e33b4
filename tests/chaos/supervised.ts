// A gateway that is started again when a start fails, as by a service manager. On a quiet machine no start may fail.
import { startGateway, type Gateway, type GatewayOptions } from '#tests/support/gateway.ts';
import { isCrowded, printFigures } from './extent.ts';

const mostTries = 5;

export async function startSupervised(options: GatewayOptions): Promise<Gateway> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startGateway(options);
    } catch (error) {
      printFigures('the gateway did not start', { tries, error: String(error) });
      if (tries === mostTries || !isCrowded()) throw error;
    }
  }
}
