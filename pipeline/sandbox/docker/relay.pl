# The carrier of a gate: it accepts connections on a port and carries their bytes over
# its standard streams, where the program that started it decides on each. It knows
# no other address. A frame is a kind (1 byte), a connection's number and a length
# (4 bytes each, big-endian), then data:
#
#   H        it listens                          (from here)
#   O id     a connection was made               (from here)
#   D id     bytes                               (both ways)
#   C id     the connection ended                (both ways)
#   W id n   n bytes were passed on: so many more may come   (both ways)
use strict;
use warnings;
use Socket;
use Fcntl;
use Errno qw(EAGAIN EINTR);

my ($port, $window, $frame, $most) = (@ARGV, 256);
my (%sock, %credit, %out, %closing, %of);
my $last = 0;
$SIG{PIPE} = 'IGNORE';

sub still { my $h = shift; fcntl($h, F_SETFL, fcntl($h, F_GETFL, 0) | O_NONBLOCK) }

sub put {
	my ($kind, $id, $data) = @_;
	my $b = pack('aNN', $kind, $id, length $data) . $data;
	while (length $b) {
		my $n = syswrite STDOUT, $b;
		if (!defined $n) { next if $! == EINTR; exit 1 }
		substr($b, 0, $n) = '';
	}
}

sub drop {
	my $id = shift;
	return unless $sock{$id};
	delete $of{fileno $sock{$id}};
	close $sock{$id};
	delete $_->{$id} for \%sock, \%credit, \%out, \%closing;
}

socket my $listen, PF_INET, SOCK_STREAM, 0 or die "socket: $!";
setsockopt $listen, SOL_SOCKET, SO_REUSEADDR, 1;
bind $listen, sockaddr_in($port, INADDR_ANY) or die "bind: $!";
listen $listen, 128 or die "listen: $!";
still($listen);
binmode $_ for *STDIN, *STDOUT;
put('H', 0, '');

my $in = '';
while (1) {
	my ($r, $w) = ('', '');
	vec($r, 0, 1) = 1;
	vec($r, fileno $listen, 1) = 1 if keys %sock < $most;
	for my $id (keys %sock) {
		my $n = fileno $sock{$id};
		vec($r, $n, 1) = 1 if $credit{$id} > 0 && !$closing{$id};
		vec($w, $n, 1) = 1 if length $out{$id};
	}
	select($r, $w, undef, undef) >= 0 or next;

	if (vec($r, 0, 1)) {
		my $n = sysread STDIN, $in, 65536, length $in;
		exit 0 unless $n;
		while (length $in >= 9) {
			my ($kind, $id, $len) = unpack 'aNN', $in;
			last if length $in < 9 + $len;
			my $data = substr $in, 9, $len;
			substr($in, 0, 9 + $len) = '';
			next unless $sock{$id};
			if ($kind eq 'D') { $out{$id} .= $data }
			elsif ($kind eq 'W') { $credit{$id} += unpack 'N', $data }
			elsif ($kind eq 'C') { $closing{$id} = 1; drop($id) unless length $out{$id} }
		}
	}
	if (vec($r, fileno $listen, 1) && accept my $c, $listen) {
		still($c);
		my $id = ++$last;
		($sock{$id}, $credit{$id}, $out{$id}) = ($c, $window, '');
		$of{fileno $c} = $id;
		put('O', $id, '');
	}
	for my $id (keys %sock) {
		my $c = $sock{$id};
		if (vec($w, fileno $c, 1) && length $out{$id}) {
			my $n = syswrite $c, $out{$id};
			if ($n) {
				substr($out{$id}, 0, $n) = '';
				put('W', $id, pack 'N', $n);
				if ($closing{$id} && !length $out{$id}) { drop($id); next }
			}
			elsif (!defined $n && $! != EAGAIN && $! != EINTR) { put('C', $id, ''); drop($id); next }
		}
		next unless vec($r, fileno $c, 1) && !$closing{$id} && $credit{$id} > 0;
		my $most_now = $credit{$id} < $frame ? $credit{$id} : $frame;
		my $n = sysread $c, my $data, $most_now;
		if ($n) { $credit{$id} -= $n; put('D', $id, $data) }
		elsif (defined $n || ($! != EAGAIN && $! != EINTR)) { put('C', $id, ''); drop($id) }
	}
}
