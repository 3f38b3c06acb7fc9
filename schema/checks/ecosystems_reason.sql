-- Every ecosystem has a reason why it is kept or dropped.
SELECT ecosystem FROM ecosystems WHERE trim(reason) = '';
