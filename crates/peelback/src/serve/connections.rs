//! The connections of the HTTP server, in two classes that each have places of their own.
//!
//! A connection *waits* until it has sent a request that may be answered. Anyone can open such connections, so there are
//! few places for them, and the oldest one is closed for a new one: whoever opens connections and says nothing closes
//! their own. From its first such request on, a connection is *admitted*. Of admitted connections one without a request
//! in progress is closed for a new one, or else the request is refused whose call is the last of those that wait in the
//! queue: what a call has begun is never lost.
//!
//! A refused request is answered: with status 503, or, where the response is a stream that has begun with progress reports,
//! with an error as its last event. A client that does not take that answer within a second is closed without it. Requests
//! that a client has sent behind a refused one on the same connection are not read, and have no answer.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::{CancellationToken as ClosingToken, WaitForCancellationFutureOwned};

/// The limit on waiting connections. It is larger than the number of connections that the server accepts without a
/// pause, so that a request that came with its connection is read before the connection can be the oldest one.
const MAX_WAITING: u64 = 256;

/// The limit on admitted connections.
const MAX_ADMITTED: u64 = 512;

/// The limits on connections.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionLimits {
    max_waiting: usize,
    max_admitted: usize,
}

impl ConnectionLimits {
    /// The limits for this process: calls need most of the files that it may open.
    pub fn for_this_process() -> Self {
        Self::for_max_open_files(max_open_files())
    }

    fn for_max_open_files(max_open_files: u64) -> Self {
        let share = |share: u64, max: u64| usize::try_from((max_open_files / share).clamp(8, max)).unwrap_or(8);
        Self { max_waiting: share(4, MAX_WAITING), max_admitted: share(2, MAX_ADMITTED) }
    }
}

/// The number of files and connections that this process may have open.
#[cfg(unix)]
fn max_open_files() -> u64 {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// The number of files and connections that this process may have open, which this platform does not limit.
#[cfg(not(unix))]
fn max_open_files() -> u64 {
    u64::MAX
}

/// The open connections of the server. Clones share them.
#[derive(Clone)]
pub(super) struct Connections(Arc<Mutex<ConnectionTable>>);

struct ConnectionTable {
    limits: ConnectionLimits,
    /// The number of events so far, by which connections are ordered.
    events: u64,
    /// The connections by their numbers.
    open: BTreeMap<u64, OpenConnection>,
}

struct OpenConnection {
    state: ConnectionState,
    /// The number of the event by which the connection came into its state.
    since: u64,
    closing: ClosingToken,
    refusing: ClosingToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionState {
    /// No request of the connection was accepted so far.
    Waiting,
    /// The connection is admitted and has no request in progress.
    Idle,
    /// The connection is admitted, and the call of its request has not begun.
    Queued,
    /// The connection is admitted, and the call of its request has begun.
    Busy,
}

impl ConnectionTable {
    fn next_event_number(&mut self) -> u64 {
        self.events += 1;
        self.events
    }

    fn count_connections_in_states(&self, is_counted: impl Fn(ConnectionState) -> bool) -> usize {
        self.open.values().filter(|connection| is_counted(connection.state)).count()
    }

    /// Closes the connection that has been in `state` for the longest time. Returns whether there was one.
    fn close_longest_in_state(&mut self, state: ConnectionState) -> bool {
        let in_state = self.open.iter().filter(|(_, connection)| connection.state == state);
        let longest = in_state.min_by_key(|(_, connection)| connection.since).map(|(number, _)| *number);
        longest.is_some_and(|number| self.close(number))
    }

    /// Refuses the request whose call is the last of those that wait in the queue. Its connection has no place any more
    /// and is closed after the response. Returns whether there was one.
    fn refuse_last_in_queue(&mut self) -> bool {
        let queued = self.open.iter().filter(|(_, connection)| connection.state == ConnectionState::Queued);
        let last = queued.max_by_key(|(_, connection)| connection.since).map(|(number, _)| *number);
        let refused = last.and_then(|number| self.open.remove(&number));
        refused.inspect(|connection| connection.refusing.cancel()).is_some()
    }

    fn close(&mut self, number: u64) -> bool {
        let closed = self.open.remove(&number);
        closed.inspect(|connection| connection.closing.cancel()).is_some()
    }
}

impl Connections {
    /// No connections so far, and the limits on them.
    pub fn new(limits: ConnectionLimits) -> Self {
        Self(Arc::new(Mutex::new(ConnectionTable { limits, events: 0, open: BTreeMap::new() })))
    }

    /// Adds a new connection, which waits. Where there are too many, the oldest waiting one is closed.
    pub fn add(&self) -> Arc<Connection> {
        let (closing, refusing) = (ClosingToken::new(), ClosingToken::new());
        let mut table = self.lock_table();
        let number = table.next_event_number();
        let open = OpenConnection {
            state: ConnectionState::Waiting,
            since: number,
            closing: closing.clone(),
            refusing: refusing.clone(),
        };
        table.open.insert(number, open);
        if table.count_connections_in_states(|state| state == ConnectionState::Waiting) > table.limits.max_waiting {
            table.close_longest_in_state(ConnectionState::Waiting);
        }
        Arc::new(Connection {
            connections: self.clone(),
            number,
            closing,
            refusing,
            has_sent_head: AtomicBool::new(false),
        })
    }

    /// Closes the oldest waiting connection. Returns whether there was one.
    pub fn close_oldest_waiting(&self) -> bool {
        self.lock_table().close_longest_in_state(ConnectionState::Waiting)
    }

    fn lock_table(&self) -> std::sync::MutexGuard<'_, ConnectionTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection of the server, which leaves the table when it is dropped.
pub(super) struct Connection {
    connections: Connections,
    number: u64,
    closing: ClosingToken,
    refusing: ClosingToken,
    has_sent_head: AtomicBool,
}

impl Connection {
    /// Waits until the connection has to be closed, because another one needs its place.
    pub async fn wait_until_must_close(&self) {
        self.closing.cancelled().await;
    }

    /// Waits until the connection's request has to be refused, because another connection needs its place.
    pub async fn wait_until_must_refuse(&self) {
        self.refusing.cancelled().await;
    }

    /// Waits as [`Self::wait_until_must_refuse`] does, as a value that a response can hold.
    pub fn wait_until_must_refuse_owned(&self) -> Pin<Box<WaitForCancellationFutureOwned>> {
        Box::pin(self.refusing.clone().cancelled_owned())
    }

    /// Notes that the head of a request has arrived.
    pub fn record_request_head_received(&self) {
        self.has_sent_head.store(true, Ordering::Relaxed);
    }

    /// Whether the head of a request has ever arrived.
    pub fn has_sent_request_head(&self) -> bool {
        self.has_sent_head.load(Ordering::Relaxed)
    }

    /// Whether an earlier request has admitted the connection.
    pub fn was_admitted_by_earlier_request(&self) -> bool {
        let table = self.connections.lock_table();
        table.open.get(&self.number).is_some_and(|connection| connection.state != ConnectionState::Waiting)
    }

    /// Admits the connection for a request that may be answered. `None` where all places have calls at work, or the
    /// connection has to be closed.
    pub fn try_begin_request(self: &Arc<Self>) -> Option<RequestInProgress> {
        let mut table = self.connections.lock_table();
        let own_state = table.open.get(&self.number)?.state;
        let is_admitted = |state| state != ConnectionState::Waiting;
        if own_state == ConnectionState::Waiting
            && table.count_connections_in_states(is_admitted) >= table.limits.max_admitted
            && !table.close_longest_in_state(ConnectionState::Idle)
            && !table.refuse_last_in_queue()
        {
            return None;
        }
        table.set_state(self.number, ConnectionState::Queued);
        Some(RequestInProgress(self.clone()))
    }

    /// Notes that the call of the connection's request has begun, so that the connection is not closed for another.
    pub fn record_call_begun(&self) {
        let mut table = self.connections.lock_table();
        if table.open.get(&self.number).is_some_and(|connection| connection.state == ConnectionState::Queued) {
            table.set_state(self.number, ConnectionState::Busy);
        }
    }
}

impl ConnectionTable {
    fn set_state(&mut self, number: u64, state: ConnectionState) {
        let since = self.next_event_number();
        if let Some(connection) = self.open.get_mut(&number) {
            (connection.state, connection.since) = (state, since);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.lock_table().open.remove(&self.number);
    }
}

/// A request in progress, from its acceptance until its response is sent.
pub(super) struct RequestInProgress(Arc<Connection>);

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        self.0.connections.lock_table().set_state(self.0.number, ConnectionState::Idle);
    }
}

#[cfg(test)]
mod tests {
    use super::{ConnectionLimits, Connections};

    fn connections() -> Connections {
        Connections::new(ConnectionLimits { max_waiting: 2, max_admitted: 2 })
    }

    #[test]
    fn the_oldest_waiting_connection_goes_first() {
        let connections = connections();
        let [first, second] = [connections.add(), connections.add()];
        assert!(!first.closing.is_cancelled());
        let third = connections.add();
        assert!(first.closing.is_cancelled() && !second.closing.is_cancelled());
        assert!(first.try_begin_request().is_none(), "it is closed");
        // An admitted connection takes no place from those that wait.
        let _request = second.try_begin_request().expect("a place");
        let fourth = connections.add();
        assert!(!third.closing.is_cancelled() && !fourth.closing.is_cancelled());
        assert!(connections.close_oldest_waiting() && third.closing.is_cancelled());
        drop(fourth);
        assert!(!connections.close_oldest_waiting());
    }

    #[test]
    fn a_connection_whose_call_waits_gives_its_place() {
        let connections = Connections::new(ConnectionLimits { max_waiting: 2, max_admitted: 4 });
        let add = || {
            let connection = connections.add();
            let request = connection.try_begin_request().expect("a place");
            (connection, request)
        };
        let (began, _request) = add();
        began.record_call_begun();
        let (first, earlier_request) = add();
        drop(earlier_request);
        let _request = first.try_begin_request().expect("its own place");
        let [(second, _two), (third, _three)] = [add(), add()];
        // The last of the queue goes first, however many requests another has had.
        let (fourth, _four) = add();
        assert!(third.refusing.is_cancelled() && third.try_begin_request().is_none());
        let (_fifth, _five) = add();
        assert!(fourth.refusing.is_cancelled());
        assert!(!first.refusing.is_cancelled() && !second.refusing.is_cancelled());
        assert!(!third.closing.is_cancelled(), "it is answered first");
        assert!(!began.refusing.is_cancelled());
        assert!(!began.closing.is_cancelled());
    }

    #[test]
    fn a_call_that_has_begun_is_never_closed_for_another() {
        let connections = connections();
        let [busy, idle] = [connections.add(), connections.add()];
        let _busy = busy.try_begin_request().expect("a place");
        busy.record_call_begun();
        drop(idle.try_begin_request().expect("a place"));
        assert!(idle.was_admitted_by_earlier_request());
        let third = connections.add();
        assert!(!third.was_admitted_by_earlier_request());
        let request = third.try_begin_request().expect("the place of the idle one");
        third.record_call_begun();
        assert!(idle.closing.is_cancelled() && !busy.closing.is_cancelled());
        assert!(connections.add().try_begin_request().is_none());
        drop(request);
        assert!(third.try_begin_request().is_some(), "its own place");
        drop(third);
        assert!(connections.add().try_begin_request().is_some());
    }

    #[test]
    fn limits_leave_files_to_the_calls() {
        for (max_open_files, max_waiting, max_admitted) in
            [(1_024, 256, 512), (u64::MAX, 256, 512), (256, 64, 128), (0, 8, 8)]
        {
            let limits = ConnectionLimits::for_max_open_files(max_open_files);
            assert_eq!((limits.max_waiting, limits.max_admitted), (max_waiting, max_admitted), "{max_open_files}");
        }
    }
}
