// Attempts of each channel by hour, including those of calls that another channel answered, and the channel's last error.
import { index, TableMaker, type Migration } from './migration.ts';

/** Classes of the time to the first token, see contract/relay/channel-health.ts. */
const classes = Array.from({ length: 14 }, (_, at) => `first_${at}`);

export const channelHealth: Migration = {
  name: '0052-channel-health',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'channel_hours')
      .requiredIntegers('channel_id', 'hour')
      .integers('attempts', 'failures', 'broken', ...classes)
      .primaryKey('channel_id', 'hour')
      .create();
    await index(db, 'channel_hours', ['hour']);

    await new TableMaker(db, dialect, 'channel_errors')
      .requiredIntegers('channel_id', 'at')
      .text('request_id', 'words')
      .primaryKey('channel_id')
      .create();
  },
};
