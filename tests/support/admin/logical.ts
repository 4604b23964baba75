/** Settings of a PostgreSQL whose organizations move to other cells, several at a time. */
export const LOGICAL = {
  wal_level: 'logical',
  max_connections: '200',
  max_replication_slots: '40',
  max_wal_senders: '40',
  max_worker_processes: '40',
  max_logical_replication_workers: '20',
};
