//! Open MPI, which carries the messages of `mpirun -n 2 transformer train`.

use all_you_need::cluster::{LostPeer, Peers};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::request::{WaitGuard, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use std::mem::ManuallyDrop;

/// The processes that `mpirun` has started.
pub struct OpenMpi {
    world: SimpleCommunicator,
    /// Dropped by [`leave`](Peers::leave), and never else: if a process ends
    /// in another way, `mpirun` ends all of them.
    universe: ManuallyDrop<Universe>,
}

impl OpenMpi {
    /// Meets the other processes; without `mpirun` there are none.
    pub fn join() -> Self {
        // Only the thread that computes the sums sends and receives.
        let started = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, _) = started.expect("it is started once");
        let (world, universe) =
            (universe.world(), ManuallyDrop::new(universe));
        Self { world, universe }
    }
}

/// The number of a process, as MPI counts.
fn number(rank: usize) -> i32 {
    i32::try_from(rank).expect("MPI has given it")
}

impl Peers for OpenMpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    // If another process has ended, Open MPI ends this one.
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), LostPeer> {
        self.world.process_at_rank(number(to)).send(bytes);
        Ok(())
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, LostPeer> {
        Ok(self.world.process_at_rank(number(from)).receive_vec().0)
    }

    fn exchange(
        &self,
        with: usize,
        bytes: &[u8],
    ) -> Result<Vec<u8>, LostPeer> {
        scope(|scope| {
            let other = self.world.process_at_rank(number(with));
            let _sent = WaitGuard::from(other.immediate_send(scope, bytes));
            self.receive(with)
        })
    }

    fn leave(self) {
        drop(ManuallyDrop::into_inner(self.universe));
    }
}
